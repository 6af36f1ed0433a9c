// swift-tools-version: 6.2
import PackageDescription

/// Swift 6 mode is the tools version's default; the rest makes each import say who may see it.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// The same for the program, in which an async function stays where its caller runs.
///
/// Otherwise each of the fifty calls of a fetch would look its executor up again.
let strictProgram = strict + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

/// A Swift target; the order below is that of the import graph, leaves first.
func module(
  _ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []
) -> Target {
  .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: strictProgram)
}

/// A test target that mirrors the module it is named for.
///
/// Fixtures are found beside the tests, so that they need no bundle.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  let folders = [
    "Core": "Time/Fixtures", "Config": "Fixtures", "Formats": "Fixtures", "Program": "Stops/Fixtures",
  ]
  let fixtures = folders[name].map { [$0] } ?? []
  return .testTarget(
    name: name + "Tests", dependencies: dependencies, exclude: fixtures, swiftSettings: strict)
}

let package = Package(
  name: "bgfetch",
  products: [.executable(name: "bgfetch", targets: ["bgfetch"])],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    // C libraries; CLate loads those that only some runs need.
    .systemLibrary(name: "CLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "CLate"),
    .target(name: "CLinux"),

    // Values and decisions: no clock, file, network or environment.
    module("Core", resources: [.embedInCode("HTML/CharacterReferences.txt")]),
    module("Formats", ["Core"], resources: [.embedInCode("NewsPage.css")]),

    // Doors to the world.
    module("Config", ["CLibYAML", "Core"]),
    module("Machine", ["CLate", "CLinux", "Core"]),
    module("Store", ["CLate", "CSQLite", "Core"]),

    // Several machines that share a state.
    module("Fleet", ["CLate", "Core", "Machine", "Store"]),

    // A run, over its effects.
    module("Running", ["Core", "Formats", "Machine", "Store"]),

    // The commands and the real effects, compiled without optimisation: what takes long is in the other modules.
    .executableTarget(
      name: "bgfetch",
      dependencies: [
        "Core", "Formats", "Config", "Machine", "Store", "Fleet", "Running",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      // Links to the units of examples, which `bgfetch install-timer` writes.
      resources: [.embedInCode("Units")],
      swiftSettings: strictProgram + [.unsafeFlags(["-Onone"], .when(configuration: .release))]),

    // What tests share: a real HTTP server that can misbehave, temporary directories, networks, other programs.
    .target(name: "CNetworks", path: "Tests/CNetworks"),
    .target(
      name: "TestKit", dependencies: ["CLinux", "CNetworks"], path: "Tests/TestKit", swiftSettings: strict),

    // What habits gain, on made-up people; `make bench-habits` runs all of it, a test a small part.
    .target(
      name: "HabitExperiment", dependencies: ["Core"], path: "Tests/HabitExperiment",
      swiftSettings: strict),
    .executableTarget(
      name: "bench-habits",
      dependencies: [
        "HabitExperiment", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/BenchHabits", swiftSettings: strict),

    // What runs cost beside curl; `make bench`.
    .executableTarget(
      name: "bench-costs",
      dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")],
      path: "Tests/BenchCosts", swiftSettings: strict),

    tests("Core", ["HabitExperiment", "TestKit", "Core"]),
    tests("Formats", ["Formats", "TestKit", "Core"]),
    tests("Config", ["Config", "TestKit", "Core"]),
    tests("Machine", ["Machine", "CLate", "TestKit", "Core"]),
    // On both databases.
    tests("Store", ["Store", "Fleet", "Machine", "CLate", "TestKit", "Core"]),
    tests("Fleet", ["Fleet", "Machine", "Store", "CLate", "TestKit", "Core"]),
    tests("Running", ["Running", "Machine", "Store", "TestKit", "Core"]),
    tests("Bgfetch", ["bgfetch", "Running", "Machine", "Store", "TestKit", "Core"]),
    // The built program, as a user runs it. Without its module these need not wait for it when they are compiled.
    tests("Program", ["Machine", "Store", "TestKit", "Core"]),
    tests("Layout", ["bgfetch", "Config", "TestKit", "Core"]),
  ]
)
