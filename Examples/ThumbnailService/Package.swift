// swift-tools-version: 6.2
import PackageDescription

/// A package of its own, as an application is.
let package = Package(
    name: "ThumbnailService",
    dependencies: [
        .package(name: "Calotype", path: "../..", traits: [.defaults, "Service"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "ThumbnailService",
            dependencies: [
                .product(name: "Calotype", package: "Calotype"),
                .product(name: "CalotypeHummingbird", package: "Calotype"),
                .product(name: "CalotypeServer", package: "Calotype"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ]
        )
    ]
)
