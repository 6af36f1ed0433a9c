// Config: YAML to settings. Read this file first: bytes become trees with places (YAML), trees become settings (Sections,
// Values), and all mistakes are reported at once. The door is `readConfiguration`. Keys has the table of all keys; Schema
// and Writing use it. Decisions about feeds never belong here, and no file is opened here.

public import Core

/// Reads a whole configuration and reports all mistakes at once.
///
/// Only a mistake in YAML itself hides later ones in its file.
///
/// - Parameters:
///   - bytes: the file's content.
///   - file: the file as the user named it, for messages.
///   - path: its absolute path; relative paths start at its directory.
///   - context: environment, home directory, time zones and the way to included files.
public func readConfiguration(
  _ bytes: [UInt8], file: String, path: String, context: ConfigurationContext
) -> ConfigurationReading {
  let main = ConfigurationPass(file: file, path: path, context: context)
  var passes = [main]
  var settings: Settings?
  var directories: [String] = []
  if bytes.count > largestConfiguration.bytes {
    main.report("the file is larger than 8 MiB", at: .start, cure: "is this the right file?")
  } else if let top = ConfigurationPart(bytes, main, isIncluded: false) {
    let included = includedParts(of: top, path: path, size: bytes.count)
    passes += included.passes
    directories = included.directories
    settings = readSettings([top] + included.parts, path: path, areAll: included.areAll)
  }
  return ConfigurationReading(
    settings: passes.allSatisfy(\.isUsable) ? settings : nil, problems: passes.flatMap(\.problems),
    files: passes.map(\.file), sources: passes.map(\.path) + directories)
}

/// The maximum size of all files together, enough for a hundred thousand feeds; a larger file is the wrong
/// file.
public let largestConfiguration = ByteCount(8 << 20)

/// One file of the configuration.
struct ConfigurationPart {
  let pass: ConfigurationPass
  let top: Section

  /// Parses a file; nil, with a mistake, if it is not a mapping.
  ///
  /// An included file may be empty, for example if every line is commented out.
  init?(_ bytes: [UInt8], _ pass: ConfigurationPass, isIncluded: Bool) {
    guard let root = composeTree(bytes, pass, mayBeEmpty: isIncluded) else { return nil }
    guard case .mapping(let entries) = root.content else {
      pass.report("the file is not a mapping of keys", at: root.place, cure: KeyTable.feedsExample)
      return nil
    }
    self.pass = pass
    top = Section(
      isIncluded ? keysOfInclude(entries, pass) : entries, at: root.place, path: "",
      only: isIncluded ? KeyTable.keysOfIncludes : nil, pass)
  }
}
