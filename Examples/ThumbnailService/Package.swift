// swift-tools-version: 6.2
import PackageDescription

/// A package of its own, since it needs a web framework that the library does not.
let package = Package(
    name: "ThumbnailService",
    dependencies: [
        .package(name: "Calotype", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    ],
    targets: [
        .executableTarget(
            name: "ThumbnailService",
            dependencies: [
                .product(name: "Calotype", package: "Calotype"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        )
    ]
)
