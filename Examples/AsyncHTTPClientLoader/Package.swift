// swift-tools-version: 6.2
import PackageDescription

/// A package of its own, since it needs an HTTP client that the library does not.
let package = Package(
    name: "AsyncHTTPClientLoader",
    products: [
        .library(name: "AsyncHTTPClientLoader", targets: ["AsyncHTTPClientLoader"])
    ],
    dependencies: [
        .package(name: "Calotype", path: "../.."),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    ],
    targets: [
        .target(
            name: "AsyncHTTPClientLoader",
            dependencies: [
                .product(name: "Calotype", package: "Calotype"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
            ]
        ),
        .executableTarget(
            name: "LoadAnImage",
            dependencies: ["AsyncHTTPClientLoader", .product(name: "Calotype", package: "Calotype")]
        ),
    ]
)
