// The way through: bytes to a tree with places, the tree to settings, all mistakes at once.

public import Model

/// Reads a configuration, whole, and says everything that is wrong with it at once.
///
/// Only text that is no YAML hides what comes after it. Warnings come along with the settings.
///
/// - Parameters:
///   - bytes: the file's content.
///   - file: the file as the user named it, for messages.
///   - path: its absolute path, to whose directory relative paths are relative.
///   - context: environment, home directory and time zones.
/// - Returns: the settings, if they can be used, and everything there is to say about them.
public func readConfiguration(
  _ bytes: [UInt8], file: String, path: String, context: ConfigurationContext
) -> ConfigurationReading {
  let pass = ConfigurationPass(path: path, context: context)
  var settings: Settings?
  if bytes.count > largestConfiguration.bytes {
    pass.report("the file is larger than 8 MiB", at: .start, cure: "is this the right file?")
  } else if let root = composeTree(bytes, pass) {
    settings = readSettings(root, path: path, pass)
  }
  return ConfigurationReading(
    settings: pass.isUsable ? settings : nil, problems: pass.problems(inFile: file))
}

/// The largest configuration that is read: some hundred thousand feeds; more is a mistake in the file's name.
public let largestConfiguration = ByteCount(8 << 20)
