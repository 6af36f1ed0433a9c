// The way through: bytes to trees with places, the trees to settings, all mistakes at once.

public import Core

/// Reads a configuration, whole, and says everything that is wrong with it at once.
///
/// Only text that is no YAML hides what comes after it in its file. Warnings come along with the settings.
///
/// - Parameters:
///   - bytes: the file's content.
///   - file: the file as the user named it, for messages.
///   - path: its absolute path, to whose directory relative paths are relative.
///   - context: environment, home directory, time zones and the way to included files.
/// - Returns: the settings, if they can be used, and everything there is to say about them.
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

/// The largest configuration that is read, all files together: some hundred thousand feeds; more is a mistake in a
/// file's name.
public let largestConfiguration = ByteCount(8 << 20)

/// One file of the configuration, as a mapping of keys.
struct ConfigurationPart {
  /// The pass over it.
  let pass: ConfigurationPass
  /// Its keys.
  let top: Section

  /// Reads the text of a file; nil if it is no mapping, which is reported.
  ///
  /// An included file may be empty: that is what is left of one when every line in it is commented out.
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
