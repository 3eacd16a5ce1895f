// swift-tools-version: 6.2
import PackageDescription

/// Whether the rows that need an HTTP client, which takes minutes to build, are left out: `CALOTYPE_LOCAL=1`.
let isLocal = Context.environment["CALOTYPE_LOCAL"] == "1"

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

/// A package of its own: what Calotype is measured against is not what it depends on.
let package = Package(
    name: "CalotypeBenchmarks",
    dependencies: [
        .package(name: "Calotype", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
    ]
        + (isLocal
            ? []
            : [.package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0")]),
    targets: [
        // libvips' pkg-config brings the flags of GLib; the other libraries need none.
        .systemLibrary(
            name: "CBaselineVips",
            pkgConfig: "vips",
            providers: [.apt(["libvips-dev"]), .brew(["vips"])]
        ),
        // The C libraries, called as their manuals say.
        .target(
            name: "CBaselines",
            dependencies: ["CBaselineVips"],
            linkerSettings: [
                "turbojpeg", "png16", "webp", "webpdemux", "gif", "avif", "heif", "jxl", "tiff",
            ].map { .linkedLibrary($0) }
        ),
        // Allocations and system calls, which are the same in every run: `make bench-counts`.
        .target(name: "CountedWork", swiftSettings: settings),
        .target(name: "CCountedMemory"),
        .executableTarget(
            name: "Counts",
            dependencies: [
                "CCountedMemory", "CountedWork",
                .product(name: "Calotype", package: "Calotype"),
                .product(name: "CalotypeTesting", package: "Calotype"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "Bench",
            dependencies: [
                "CBaselines", "CountedWork",
                .product(name: "Calotype", package: "Calotype"),
                .product(name: "CalotypeCache", package: "Calotype"),
                .product(name: "CalotypeSandbox", package: "Calotype"),
                .product(name: "CalotypeTesting", package: "Calotype"),
                .product(name: "TestMaterial", package: "Calotype"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ] + (isLocal ? [] : [.product(name: "AsyncHTTPClient", package: "async-http-client")]),
            exclude: [isLocal ? "HTTP" : "NoHTTP"],
            swiftSettings: settings
        ),
    ]
)
