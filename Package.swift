// swift-tools-version: 6.2
import PackageDescription

let houseSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .treatAllWarnings(as: .error),
]

/// For the modules that touch C or raw file system calls: each unsafe expression is spelled `unsafe`.
let boundarySettings = houseSettings + [.strictMemorySafety()]

func module(
    _ name: String,
    _ dependencies: [Target.Dependency],
    settings: [SwiftSetting] = houseSettings
) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// C of our own.
func shim(
    _ name: String,
    _ dependencies: [Target.Dependency] = [],
    defines: [CSetting] = [],
    links: [LinkerSetting] = []
) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: "Sources/C/\(name)",
        cSettings: defines,
        linkerSettings: links
    )
}

/// A library that is not there where none of the traits is on: neither its headers nor its link line.
func optional(_ library: String, _ traits: Set<String>) -> Target.Dependency {
    .target(name: library, condition: .when(traits: traits))
}

/// A library of the system.
///
/// `pkgConfig` names where its headers are. Where the file of that name has flags that SwiftPM warns of in each
/// build of each dependent, it is left out, and what uses the library links it.
func systemLibrary(_ name: String, pkgConfig: String?, apt: [String], brew: [String]) -> Target {
    .systemLibrary(
        name: name,
        path: "Sources/C/\(name)",
        pkgConfig: pkgConfig,
        providers: [.apt(apt), .brew(brew)]
    )
}

/// A program that tests run: one that is killed, two whose memory is measured.
func probe(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name,
        dependencies: dependencies,
        path: "Tests/Probes/\(name)",
        swiftSettings: houseSettings
    )
}

/// What several targets of tests use.
func support(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: "Tests/Support/\(name)",
        swiftSettings: houseSettings
    )
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: houseSettings)
}

/// What a dependent may leave out, with the system library that it needs; JPEG, PNG and WebP are always
/// there.
///
/// `BuildTrait` is the same list for the code. The command and the image service load from the network: they
/// are made with `HTTP`.
let traits: [Trait] = [
    .trait(name: "AVIF", description: "AVIF, by libavif"),
    .trait(name: "HEIC", description: "HEIC, by libheif and libde265"),
    .trait(name: "JPEGXL", description: "JPEG XL, by libjxl"),
    .trait(name: "TIFF", description: "TIFF, by libvips"),
    .trait(name: "GIF", description: "GIF, by giflib"),
    .trait(name: "Transforms", description: "The transforms that libvips computes"),
    .trait(name: "HTTP", description: "http and https URLs, by libcurl"),
]

/// The routes of the image service, whose packages only their users resolve: not among the defaults.
let serviceTrait = Trait(
    name: "Service",
    description: "CalotypeHummingbird: the image service's routes and listeners, by Hummingbird and SwiftNIO"
)

/// Whether this package is a dependency: then there are only the libraries, and a dependent resolves no package
/// of the command, the tests and (without the trait) the service (decision 0330).
///
/// SwiftPM has dependencies in a folder of this name, and reads their manifests from a repository, whose root is
/// `/`; in a dependency by path all targets are there.
let isDependency =
    Context.packageDirectory == "/"
    || ["/checkouts/", "/registry/"].contains(where: Context.packageDirectory.contains)

/// libvips reads and writes TIFF too.
let vipsTraits: Set<String> = ["TIFF", "Transforms"]

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let systemLibraries: [Target] = [
    systemLibrary("CLibJPEG", pkgConfig: "libjpeg", apt: ["libjpeg62-turbo-dev"], brew: ["jpeg-turbo"]),
    systemLibrary("CLibPNG", pkgConfig: "libpng", apt: ["libpng-dev"], brew: ["libpng"]),
    systemLibrary("CLibWebP", pkgConfig: "libwebpmux", apt: ["libwebp-dev"], brew: ["webp"]),
    systemLibrary("CGIFLib", pkgConfig: "libgif", apt: ["libgif-dev"], brew: ["giflib"]),
    systemLibrary("CLibAVIF", pkgConfig: nil, apt: ["libavif-dev"], brew: ["libavif"]),
    systemLibrary("CLibHEIF", pkgConfig: "libheif", apt: ["libheif-dev"], brew: ["libheif"]),
    systemLibrary("CLibDE265", pkgConfig: "libde265", apt: ["libde265-dev"], brew: ["libde265"]),
    systemLibrary("CLibJXL", pkgConfig: nil, apt: ["libjxl-dev"], brew: ["jpeg-xl"]),
    // Debian 13's links the plug-ins too, one of which is under the GPL.
    systemLibrary("CLCMS2", pkgConfig: nil, apt: ["liblcms2-dev"], brew: ["little-cms2"]),
    // Its own has -pthread; vips.h needs what GObject's names.
    systemLibrary("CVips", pkgConfig: "gobject-2.0", apt: ["libvips-dev"], brew: ["vips"]),
    systemLibrary("CLibDeflate", pkgConfig: "libdeflate", apt: ["libdeflate-dev"], brew: ["libdeflate"]),
    systemLibrary(
        "CLibCurl",
        pkgConfig: nil,
        apt: ["libcurl4-openssl-dev", "libssl-dev"],
        brew: ["curl", "openssl@3"]
    ),
    systemLibrary("CLibCrypto", pkgConfig: "libcrypto", apt: ["libssl-dev"], brew: ["openssl@3"]),
    systemLibrary("CLibSeccomp", pkgConfig: "libseccomp", apt: ["libseccomp-dev"], brew: []),
    systemLibrary("CXXHash", pkgConfig: "libxxhash", apt: ["libxxhash-dev"], brew: ["xxhash"]),
]

let modules: [Target] = [
    shim(
        "CCodecs",
        [
            "CLibJPEG", "CLibPNG", "CLibWebP", "CLCMS2", "CLibDeflate", "CThreadCalls",
            optional("CLibAVIF", ["AVIF"]), optional("CLibHEIF", ["HEIC"]), optional("CLibDE265", ["HEIC"]),
            optional("CLibJXL", ["JPEGXL"]), optional("CGIFLib", ["GIF"]), optional("CVips", vipsTraits),
        ],
        // What is not defined is compiled to nothing, and left_out.c stands in for it.
        defines: ["AVIF", "HEIC", "JPEGXL", "GIF"].map { .define("CALOTYPE_\($0)", .when(traits: [$0])) }
            + [.define("CALOTYPE_VIPS", .when(traits: vipsTraits))],
        links: [
            .linkedLibrary("avif", .when(traits: ["AVIF"])), .linkedLibrary("jxl", .when(traits: ["JPEGXL"])),
            .linkedLibrary("lcms2"),
            // Up to libwebp 1.2 that of libwebpmux names libwebp too.
            .linkedLibrary("webp"),
        ]
    ),
    shim("CFileCalls"),
    shim("CDigest", ["CLibCrypto"]),
    shim("CTransfer", ["CLibCurl"], links: [.linkedLibrary("curl")]),
    shim("CThreadCalls"),
    shim("CSandbox", ["CLibSeccomp"]),
    // librsvg is loaded where it is needed: neither its headers nor its link line.
    shim("CSVG", ["CLibDeflate"]),
    module("CalotypeSupport", ["CDigest", "CThreadCalls", "CXXHash"], settings: boundarySettings),
    module("CalotypeCore", ["CalotypeSupport"], settings: boundarySettings),
    module("CalotypeCodecs", ["CalotypeCore", "CalotypeSupport", "CCodecs"], settings: boundarySettings),
    // Codecs in processes of their own; Linux only.
    module(
        "CalotypeSandbox",
        [
            "CalotypeCodecs", "CalotypeCore", "CalotypeSupport", "CalotypeTransforms", "CSandbox", "CSVG",
        ],
        settings: boundarySettings
    ),
    module("CalotypeTransforms", ["CalotypeCodecs", "CalotypeCore", "CalotypeSupport"]),
    module(
        "CalotypeCache",
        ["CalotypeCodecs", "CalotypeCore", "CalotypeSupport", "CFileCalls"],
        settings: boundarySettings
    ),
    module(
        "CalotypeTransfer",
        ["CalotypeSupport", optional("CLibCurl", ["HTTP"]), optional("CTransfer", ["HTTP"])],
        settings: boundarySettings
    ),
    module("CalotypeLoading", ["CalotypeCore", "CalotypeSupport", "CalotypeTransfer", "CFileCalls"]),
    module(
        "Calotype",
        [
            "CalotypeCache", "CalotypeLoading", "CalotypeTransforms", "CalotypeCodecs", "CalotypeCore",
            "CalotypeSupport", logging, metrics, tracing,
        ]
    ),
    // The image service: what a URL asks for, as values; no network in it.
    module(
        "CalotypeServer",
        [
            "Calotype", "CalotypeCache", "CalotypeLoading", "CalotypeTransforms", "CalotypeCodecs",
            "CalotypeCore", "CalotypeSupport",
        ]
    ),
    module(
        "CalotypeTesting",
        [
            "Calotype", "CalotypeCache", "CalotypeLoading", "CalotypeTransforms", "CalotypeCodecs",
            "CalotypeCore", "CalotypeSupport",
        ]
    ),
]

let probes: [Target] = [
    probe("CodecProbe", ["CalotypeCodecs", "CalotypeCore", "CalotypeSupport"]),
    probe("SandboxProbe", ["CalotypeSandbox", "CalotypeCodecs", "CalotypeCore", "HostileCodec"]),
    support("HostileCodec", ["CalotypeCodecs", "CalotypeCore", "CalotypeSupport"]),
    probe("TransformProbe", ["CalotypeTransforms", "CalotypeCodecs", "CalotypeCore", "CalotypeTesting"]),
    probe("CacheCrashProbe", ["CalotypeCache", "CalotypeCore", "CalotypeTesting"]),
    probe("TraitProbe", ["Calotype"]),
]

/// libFuzzer's targets, with inputs to start from: `make fuzz`, which sets `CALOTYPE_FUZZ=1`.
///
/// Left out otherwise, since a program without a `main` of its own links only with libFuzzer.
let fuzzers: [Target] =
    Context.environment["CALOTYPE_FUZZ"] == "1"
    ? [
        // What Swift's Glibc module does not show of the C library's memory.
        .systemLibrary(name: "CMalloc", path: "Fuzz/CMalloc"),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "Calotype", "CalotypeCache", "CalotypeCodecs", "CalotypeCore", "CalotypeLoading",
                "CalotypeSupport", "CalotypeTesting", "CMalloc",
            ],
            path: "Fuzz/Fuzz",
            swiftSettings: houseSettings + [.unsafeFlags(["-parse-as-library"])]
        ),
        .executableTarget(
            name: "FuzzSeeds",
            dependencies: [
                "CalotypeCache", "CalotypeCodecs", "CalotypeCore", "CalotypeLoading", "CalotypeTesting",
            ],
            path: "Fuzz/FuzzSeeds",
            swiftSettings: houseSettings
        ),
    ] : []

/// Replays traces through the caches: `make hit-ratio`.
let tools: [Target] = [
    .executableTarget(
        name: "HitRatio",
        dependencies: ["CalotypeCache", "CalotypeCore", "CalotypeTesting"],
        path: "Benchmarks/HitRatio",
        swiftSettings: houseSettings
    )
]

/// A product of a package that a dependent resolves with the trait of the service only.
let served = { (name: String, package: String) -> Target.Dependency in
    let condition = isDependency ? TargetDependencyCondition.when(traits: [serviceTrait.name]) : nil
    return .product(name: name, package: package, condition: condition)
}

/// The routes of the image service.
let routes: [Target] = [
    module(
        "CalotypeHummingbird",
        [
            "CalotypeServer", "CalotypeLoading", "CalotypeCore", "CalotypeSupport", logging, tracing,
            served("Hummingbird", "hummingbird"), served("HummingbirdCore", "hummingbird"),
            served("HTTPTypes", "swift-http-types"), served("NIOCore", "swift-nio"),
            served("NIOHTTP1", "swift-nio"), served("NIOPosix", "swift-nio"),
            served("NIOHTTPTypes", "swift-nio-extras"), served("NIOExtras", "swift-nio-extras"),
        ]
    )
]

/// The command, and the origin that its demonstration and the tests load from.
let commands: [Target] = [
    module(
        "LoopbackOrigin",
        [
            "CalotypeSupport",
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "NIOPosix", package: "swift-nio"),
            .product(name: "NIOHTTP1", package: "swift-nio"),
        ]
    ),
    .executableTarget(
        name: "CalotypeCLI",
        dependencies: [
            "Calotype", "CalotypeCache", "CalotypeLoading", "CalotypeTransforms", "CalotypeCodecs",
            "CalotypeCore", "CalotypeSupport", "CalotypeSandbox", "CalotypeServer", "CalotypeHummingbird",
            "LoopbackOrigin", logging,
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
            .product(name: "Configuration", package: "swift-configuration"),
        ],
        swiftSettings: houseSettings
    ),
]

let testTargets: [Target] = [
    support("TestTraits", ["CalotypeSupport"]),
    // Programs that tests start: servers that others have written, and our own.
    support("TestServers"),
    support("PipelineSupport", ["Calotype", "CalotypeTesting", "LoopbackOrigin"]),
    support("ServiceSupport", ["Calotype", "CalotypeServer"]),
    support(
        "WorkerSupport",
        [
            "CalotypeSandbox", "CalotypeTransforms", "CalotypeCodecs", "CalotypeCore", "CalotypeSupport",
            "HostileCodec", "TestServers",
        ]
    ),
    tests("HouseRulesTests", ["TestTraits"]),
    tests("CalotypeSupportTests", ["CalotypeSupport", "CalotypeTesting"]),
    tests("CalotypeCoreTests", ["CalotypeCore", "CalotypeSupport", "CalotypeTesting", "TestTraits"]),
    tests(
        "CalotypeCodecsTests",
        [
            "CalotypeCodecs", "CalotypeCore", "CalotypeSupport", "CalotypeTesting", "CCodecs", "CodecProbe",
            "QOICodec", "SandboxProbe", "TestServers", "TestTraits", "WorkerSupport",
        ]
    ),
    tests(
        "CalotypeSandboxTests",
        [
            "CalotypeSandbox", "CalotypeTransforms", "CalotypeCodecs", "CalotypeCore", "CalotypeSupport",
            "CalotypeTesting", "HostileCodec", "SandboxProbe", "TestServers", "TestTraits", "WorkerSupport",
        ]
    ),
    tests(
        "CalotypeTransformsTests",
        [
            "CalotypeTransforms", "CalotypeCodecs", "CalotypeCore", "CalotypeTesting", "SandboxProbe",
            "TestServers", "TestTraits", "VignetteTransform", "WorkerSupport",
        ]
    ),
    tests(
        "CalotypeCacheTests",
        [
            "CalotypeCache", "CalotypeCodecs", "CalotypeCore", "CalotypeSupport", "CalotypeTesting",
            "CacheCrashProbe", "TestServers", "TestTraits",
        ]
    ),
    tests(
        "CalotypeLoadingTests",
        [
            "CalotypeLoading", "CalotypeTransfer", "CalotypeCore", "CalotypeSupport", "CalotypeTesting",
            "LoopbackOrigin", "TestServers", "TestTraits",
        ]
    ),
    tests(
        "CalotypeTests",
        [
            "Calotype", "CalotypeSupport", "CalotypeTesting", "LoopbackOrigin", "PipelineSupport",
            "TestServers", "TestTraits", logging, metrics, tracing,
            .product(name: "MetricsTestKit", package: "swift-metrics"),
            .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        ]
    ),
    tests(
        "CalotypeServerTests",
        [
            "CalotypeServer", "CalotypeTesting", "LoopbackOrigin", "PipelineSupport", "SandboxProbe",
            "ServiceSupport", "TestServers", "TestTraits", "WorkerSupport",
        ]
    ),
    tests(
        "CalotypeHummingbirdTests",
        [
            "Calotype", "CalotypeHummingbird", "CalotypeServer", "CalotypeTesting", "PipelineSupport",
            "ServiceSupport", "TestTraits", .product(name: "Hummingbird", package: "hummingbird"), logging,
            .product(name: "HTTPTypes", package: "swift-http-types"),
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "NIOEmbedded", package: "swift-nio"),
            .product(name: "NIOHTTP1", package: "swift-nio"),
            .product(name: "NIOPosix", package: "swift-nio"),
            .product(name: "NIOHTTPTypes", package: "swift-nio-extras"), tracing, "LoopbackOrigin",
        ]
    ),
    tests(
        "CalotypeCLITests",
        ["CalotypeCLI", "CalotypeServer", "LoopbackOrigin", "CalotypeTesting", "TestTraits", logging]
    ),
    // What takes every core for seconds.
    tests(
        "StressTests",
        [
            "Calotype", "CalotypeLoading", "CalotypeSupport", "CalotypeTesting", "LoopbackOrigin",
            "PipelineSupport",
        ]
    ),
    // What starts the command.
    tests(
        "EndToEndTests",
        [
            "CalotypeCLI", "CalotypeCache", "CalotypeCodecs", "CalotypeCore", "CalotypeLoading",
            "CalotypeServer", "CalotypeSupport", "CalotypeTesting", "CalotypeTransforms", "LoopbackOrigin",
            "TestServers", "TestTraits",
        ]
    ),
]

/// The settings of a new package, which turns on no upcoming feature: what the examples show compiles for all.
let exampleSettings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// The examples of a codec and of a transform of one's own: libraries, so that tests can check them, and
/// programs that use them; they need no network.
let ownParts: [Target] = [
    ("QOICodec", module: "CalotypeCodecs", program: "RegisterACodec"),
    ("VignetteTransform", module: "CalotypeTransforms", program: "ApplyAVignette"),
].flatMap { (name: String, module: String, program: String) -> [Target] in
    [
        .target(
            name: name,
            dependencies: [.byName(name: module), "CalotypeCore"],
            path: "Examples/\(name)",
            exclude: ["Program"],
            swiftSettings: exampleSettings
        ),
        .executableTarget(
            name: program,
            dependencies: [.byName(name: module), "CalotypeCore", .byName(name: name)],
            path: "Examples/\(name)/Program",
            swiftSettings: exampleSettings
        ),
    ]
}

/// Compiled with the package, so that what the documents show keeps compiling; not products.
let examples: [Target] = ["BatchDownload", "FirstLines", "LoadAnImage", "TerminalGallery"].map { name in
    .executableTarget(
        name: name,
        dependencies: ["Calotype"],
        path: "Examples/\(name)",
        swiftSettings: exampleSettings
    )
}

/// What a build has beside the modules; the sanitizers build what they run and no more.
///
/// Where `CALOTYPE_TESTS` names targets of tests, only those are there and no examples, and the command where they
/// are about it.
let chosenTests = Context.environment["CALOTYPE_TESTS"].map { Set($0.split(separator: " ").map(String.init)) }
let hasCommand = chosenTests.map { !$0.isDisjoint(with: ["CalotypeCLITests", "EndToEndTests"]) } ?? true
let hasRoutes = chosenTests.map { hasCommand || $0.contains("CalotypeHummingbirdTests") } ?? true
let checkedTargets =
    chosenTests.map { names in
        let origin = commands.filter { hasCommand || $0.name == "LoopbackOrigin" }
        let samples = ownParts.filter { $0.type == .regular }
        let chosen = testTargets.filter { $0.type != .test || names.contains($0.name) }
        return origin + samples + (hasRoutes ? routes : []) + chosen
    } ?? commands + routes + tools + testTargets + ownParts + examples

let libraries: [Product] =
    [
        .library(name: "Calotype", targets: ["Calotype"]),
        .library(
            name: "CalotypeCache",
            targets: ["CalotypeCache", "CalotypeTransforms", "CalotypeCodecs", "CalotypeCore"]
        ),
        .library(name: "CalotypeSandbox", targets: ["CalotypeSandbox"]),
        .library(name: "CalotypeTesting", targets: ["CalotypeTesting"]),
        .library(name: "CalotypeServer", targets: ["CalotypeServer"]),
    ] + (hasRoutes ? [.library(name: "CalotypeHummingbird", targets: routes.map(\.name))] : [])

let libraryPackages: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.3"),
]

let servicePackages: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.34.1"),
    // Neither settings nor the whole of Foundation.
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
]

let commandPackages: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0", traits: ["JSON"]),
]

let package = Package(
    name: "Calotype",
    products: libraries
        + (hasCommand && !isDependency ? [.executable(name: "calotype", targets: ["CalotypeCLI"])] : []),
    traits: Set(traits + [serviceTrait, .default(enabledTraits: Set(traits.map(\.name)))]),
    dependencies: libraryPackages + servicePackages + (isDependency ? [] : commandPackages),
    targets: systemLibraries + modules
        + (isDependency ? routes : probes + fuzzers + checkedTargets)
)
