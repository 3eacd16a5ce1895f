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
    resources: [Resource] = [],
    settings: [SwiftSetting] = houseSettings
) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

/// A C target of this package.
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

/// A dependency on a library that is neither compiled nor linked unless one of the traits is on.
func optional(_ library: String, _ traits: Set<String>) -> Target.Dependency {
    .target(name: library, condition: .when(traits: traits))
}

/// A library of the system.
///
/// `pkgConfig` names the file with its flags; `nil` if SwiftPM warns of them in each build of a dependent. Then the
/// targets that use the library link it.
func systemLibrary(_ name: String, pkgConfig: String?, apt: [String], brew: [String]) -> Target {
    .systemLibrary(
        name: name,
        path: "Sources/C/\(name)",
        pkgConfig: pkgConfig,
        providers: [.apt(apt), .brew(brew)]
    )
}

/// A program that tests run, measure or kill.
func probe(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name,
        dependencies: dependencies,
        path: "Tests/Probes/\(name)",
        swiftSettings: houseSettings
    )
}

/// Support code of several test targets.
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

/// The features that a dependent may leave out with their system libraries; JPEG, PNG and WebP are in every build.
///
/// `BuildTrait` is the same list for the code. The command and the image service need `HTTP`.
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

/// Whether this package is a dependency.
///
/// Then it has only the libraries, and a dependent resolves no package of the command, the tests and (without the
/// trait) the service (decision 0330).
///
/// SwiftPM checks dependencies out into folders of these names, and reads their manifests from a repository, whose
/// root is `/`. A dependency by path has all targets.
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
    // The flags of Debian 13 link the plug-ins too, one of which is under the GPL.
    systemLibrary("CLCMS2", pkgConfig: nil, apt: ["liblcms2-dev"], brew: ["little-cms2"]),
    // The flags of vips include -pthread; vips.h needs the headers of GObject.
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
        // Code without its definition is compiled to nothing, and left_out.c replaces it.
        defines: ["AVIF", "HEIC", "JPEGXL", "GIF"].map { .define("CALOTYPE_\($0)", .when(traits: [$0])) }
            + [.define("CALOTYPE_VIPS", .when(traits: vipsTraits))],
        links: [
            .linkedLibrary("avif", .when(traits: ["AVIF"])), .linkedLibrary("jxl", .when(traits: ["JPEGXL"])),
            .linkedLibrary("lcms2"),
            // From libwebp 1.3, the flags of libwebpmux do not link libwebp.
            .linkedLibrary("webp"),
        ]
    ),
    shim("CFileCalls"),
    shim("CDigest", ["CLibCrypto"]),
    shim("CTransfer", ["CLibCurl"], links: [.linkedLibrary("curl")]),
    shim("CThreadCalls"),
    shim("CSandbox", ["CLibSeccomp"]),
    // librsvg is loaded at run time: neither compiled against nor linked.
    shim("CSVG", ["CLibDeflate"]),
    module("CalotypeSupport", ["CDigest", "CThreadCalls", "CXXHash"], settings: boundarySettings),
    module("CalotypeCore", ["CalotypeSupport"], settings: boundarySettings),
    module("CalotypeCodecs", ["CalotypeCore", "CalotypeSupport", "CCodecs"], settings: boundarySettings),
    // Codecs in worker processes; Linux only.
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
    // The image service as values, without a network.
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
    // Pictures beside the package, traces, models and faults, for tests and benchmarks.
    support(
        "TestMaterial",
        ["CalotypeCache", "CalotypeCodecs", "CalotypeCore", "CalotypeSupport", "CalotypeTesting"]
    ),
    probe("TransformProbe", ["CalotypeTransforms", "CalotypeCodecs", "CalotypeCore", "CalotypeTesting"]),
    probe("CacheCrashProbe", ["CalotypeCache", "CalotypeCore", "CalotypeTesting", "TestMaterial"]),
    probe("TraitProbe", ["Calotype"]),
]

/// Fuzz targets and the inputs that they start from: `make fuzz`, which sets `CALOTYPE_FUZZ=1`.
///
/// Without libFuzzer, a program without `main` does not link.
let fuzzers: [Target] =
    Context.environment["CALOTYPE_FUZZ"] == "1"
    ? [
        // Memory functions that Swift's Glibc module does not export.
        .systemLibrary(name: "CMalloc", path: "Fuzz/CMalloc"),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "Calotype", "CalotypeCache", "CalotypeCodecs", "CalotypeCore", "CalotypeLoading",
                "CalotypeServer", "CalotypeSupport", "CalotypeTesting", "CalotypeTransforms",
                "TestMaterial", "CMalloc",
            ],
            path: "Fuzz/Fuzz",
            swiftSettings: houseSettings + [.unsafeFlags(["-parse-as-library"])]
        ),
        .executableTarget(
            name: "FuzzSeeds",
            dependencies: [
                "CalotypeCache", "CalotypeCodecs", "CalotypeCore", "CalotypeLoading", "CalotypeTesting",
                "TestMaterial",
            ],
            path: "Fuzz/FuzzSeeds",
            swiftSettings: houseSettings
        ),
    ] : []

/// Replays traces through the caches: `make hit-ratio`.
let tools: [Target] = [
    .executableTarget(
        name: "HitRatio",
        dependencies: ["CalotypeCache", "CalotypeCore", "TestMaterial"],
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
        ],
        // SwiftPM writes them as constants: no file has to be installed beside the command.
        resources: ["html", "css", "js"].map { .embedInCode("Console/console.\($0)") }
    )
]

let command = Target.executableTarget(
    name: "CalotypeCLI",
    dependencies: [
        "Calotype", "CalotypeCache", "CalotypeLoading", "CalotypeTransforms", "CalotypeCodecs",
        "CalotypeCore", "CalotypeSupport", "CalotypeSandbox", "CalotypeServer", "CalotypeHummingbird",
        logging,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Configuration", package: "swift-configuration"),
    ],
    swiftSettings: houseSettings
)

let testTargets: [Target] = [
    // The gate and the traits of tests, and the programs that tests start.
    support("TestSupport", ["CalotypeSupport"]),
    // The HTTP origin that tests and the demo load from.
    support(
        "LoopbackOrigin",
        [
            "CalotypeSupport",
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "NIOPosix", package: "swift-nio"),
            .product(name: "NIOHTTP1", package: "swift-nio"),
        ]
    ),
    support("PipelineSupport", ["Calotype", "CalotypeServer", "CalotypeTesting", "LoopbackOrigin"]),
    support(
        "WorkerSupport",
        [
            "CalotypeSandbox", "CalotypeTransforms", "CalotypeCodecs", "CalotypeCore", "CalotypeSupport",
            "HostileCodec", "TestSupport",
        ]
    ),
    tests("HouseRulesTests", ["TestSupport"]),
    tests("CalotypeSupportTests", ["CalotypeSupport", "CalotypeTesting", "TestSupport"]),
    tests(
        "CalotypeCoreTests",
        ["CalotypeCore", "CalotypeSupport", "CalotypeTesting", "TestMaterial", "TestSupport"]
    ),
    tests(
        "CalotypeCodecsTests",
        [
            "CalotypeCodecs", "CalotypeCore", "CalotypeSupport", "CalotypeTesting", "CCodecs", "CodecProbe",
            "QOICodec", "SandboxProbe", "TestMaterial", "TestSupport", "WorkerSupport",
        ]
    ),
    tests(
        "CalotypeSandboxTests",
        [
            "CalotypeSandbox", "CalotypeTransforms", "CalotypeCodecs", "CalotypeCore", "CalotypeSupport",
            "CalotypeTesting", "HostileCodec", "SandboxProbe", "TestMaterial", "TestSupport",
            "WorkerSupport",
        ]
    ),
    tests(
        "CalotypeTransformsTests",
        [
            "CalotypeTransforms", "CalotypeCodecs", "CalotypeCore", "CalotypeTesting", "SandboxProbe",
            "TestMaterial", "TestSupport", "VignetteTransform", "WorkerSupport",
        ]
    ),
    tests(
        "CalotypeCacheTests",
        [
            "CalotypeCache", "CalotypeCodecs", "CalotypeCore", "CalotypeSupport", "CalotypeTesting",
            "CacheCrashProbe", "TestMaterial", "TestSupport",
        ]
    ),
    tests(
        "CalotypeLoadingTests",
        [
            "CalotypeLoading", "CalotypeTransfer", "CalotypeCore", "CalotypeSupport", "CalotypeTesting",
            "LoopbackOrigin", "TestSupport",
        ]
    ),
    tests(
        "CalotypeTests",
        [
            "Calotype", "CalotypeSupport", "CalotypeTesting", "LoopbackOrigin", "PipelineSupport",
            "TestMaterial", "TestSupport", logging, metrics, tracing,
            .product(name: "MetricsTestKit", package: "swift-metrics"),
            .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        ]
    ),
    tests(
        "CalotypeServerTests",
        [
            "CalotypeServer", "CalotypeTesting", "LoopbackOrigin", "PipelineSupport", "SandboxProbe",
            "TestMaterial", "TestSupport", "WorkerSupport",
        ]
    ),
    tests(
        "CalotypeHummingbirdTests",
        [
            "Calotype", "CalotypeHummingbird", "CalotypeServer", "CalotypeTesting", "PipelineSupport",
            "TestSupport", .product(name: "Hummingbird", package: "hummingbird"), logging,
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
        ["CalotypeCLI", "CalotypeServer", "LoopbackOrigin", "CalotypeTesting", "TestSupport", logging]
    ),
    // Tests that use all cores for seconds.
    tests(
        "StressTests",
        [
            "Calotype", "CalotypeLoading", "CalotypeSupport", "CalotypeTesting", "LoopbackOrigin",
            "PipelineSupport", "TestSupport",
        ]
    ),
    // Tests that start the command.
    tests(
        "EndToEndTests",
        [
            "CalotypeCLI", "CalotypeCache", "CalotypeCodecs", "CalotypeCore", "CalotypeLoading",
            "CalotypeServer", "CalotypeSupport", "CalotypeTesting", "CalotypeTransforms", "LoopbackOrigin",
            "TestSupport",
        ]
    ),
]

/// The settings of a new package, without upcoming features: the examples compile in any package.
let exampleSettings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// The examples of a custom codec and a custom transform: libraries, which tests check, and programs that use them.
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

/// Examples compiled with the package, so that they keep compiling; not products.
let examples: [Target] = [
    ("BatchDownload", []), ("Demo", ["LoopbackOrigin"]), ("FirstLines", []), ("TerminalGallery", []),
].map { (name: String, others: [Target.Dependency]) in
    .executableTarget(
        name: name,
        dependencies: ["Calotype"] + others,
        path: "Examples/\(name)",
        swiftSettings: exampleSettings
    )
}

/// The targets beside the modules.
///
/// `CALOTYPE_TESTS` limits them to the named test targets, without examples, and without the command unless the tests
/// need it: the sanitizers build no more than they run.
let chosenTests = Context.environment["CALOTYPE_TESTS"].map { Set($0.split(separator: " ").map(String.init)) }
let hasCommand = chosenTests.map { !$0.isDisjoint(with: ["CalotypeCLITests", "EndToEndTests"]) } ?? true
let hasRoutes = chosenTests.map { hasCommand || $0.contains("CalotypeHummingbirdTests") } ?? true
let checkedTargets =
    chosenTests.map { names in
        let samples = ownParts.filter { $0.type == .regular }
        let chosen = testTargets.filter { $0.type != .test || names.contains($0.name) }
        return (hasCommand ? [command] : []) + samples + (hasRoutes ? routes : []) + chosen
    } ?? [command] + routes + tools + testTargets + ownParts + examples

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
    // For `Benchmarks`, a package that depends on this one by path (decision 0342).
    + (isDependency ? [] : [.library(name: "TestMaterial", targets: ["TestMaterial"])])

let libraryPackages: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.3"),
]

let servicePackages: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.34.1"),
    // Without its traits, which would add settings and the whole of Foundation.
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
