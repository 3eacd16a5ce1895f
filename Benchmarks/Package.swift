// swift-tools-version: 6.2
import PackageDescription

/// A package of its own: what Calotype is measured against is not what it depends on.
let package = Package(
    name: "CalotypeBenchmarks",
    dependencies: [
        .package(name: "Calotype", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    ],
    targets: [
        .executableTarget(
            name: "Bench",
            dependencies: [
                .product(name: "CalotypeCache", package: "Calotype"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .treatAllWarnings(as: .error),
            ]
        )
    ]
)
