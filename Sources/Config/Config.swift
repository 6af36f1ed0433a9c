// Config: YAML to settings. Read this file first: bytes become trees with locations (YAML), trees become settings (Sections,
// Values), and all mistakes are reported at once. The door is `readConfiguration`. A key is one row in the list of its
// section, and Keys joins these to the table of all keys. Writing makes the schema and a first configuration of the table,
// and adds and removes feeds in the text of a file. Decisions about feeds never belong here, and no file is opened here.

public import Core

/// Reads a whole configuration and reports all mistakes at once.
///
/// Only a mistake in YAML itself hides later ones in its file.
///
/// - Parameters:
///   - bytes: the file's content.
///   - file: the file as the user named it, for messages.
///   - path: its absolute path; relative paths start at its directory.
///   - context: environment, home directory, time zones and access to included files.
public func readConfiguration(
  _ bytes: [UInt8], file: String, path: String, context: ConfigurationContext
) -> ConfigurationReading {
  let main = ConfigurationPass(file: file, path: path, context: context)
  var passes = [main]
  var settings: Settings?
  var directories: [String] = []
  if bytes.count > context.largest.bytes {
    main.report(
      "the file is larger than \(context.largest.text)", at: .start, cure: "is this the right file?")
  } else if let top = ConfigurationPart(bytes, main, isIncluded: false) {
    let included = includedParts(of: top, size: bytes.count)
    passes += included.passes
    directories = included.directories
    settings = readSettings(top, and: included)
  }
  return ConfigurationReading(
    settings: passes.allSatisfy(\.isUsable) ? settings : nil, problems: passes.flatMap(\.problems),
    files: passes.map(\.file), sources: passes.map(\.path) + directories,
    variables: passes.reduce(into: []) { $0.formUnion($1.variables) })
}

/// The maximum size of all files together: enough for a million feeds.
public let largestConfiguration = ByteCount(250_000_000)

/// One file of the configuration.
struct ConfigurationPart {
  let pass: ConfigurationPass
  /// Its keys.
  let top: Section

  /// Parses a file; nil, with a mistake, if it is not a mapping.
  ///
  /// An included file may be empty, for example if every line is commented out.
  init?(_ bytes: [UInt8], _ pass: ConfigurationPass, isIncluded: Bool) {
    guard let root = composeTree(bytes, pass, mayBeEmpty: isIncluded || pass.context.mayLackFeeds) else {
      return nil
    }
    guard case .mapping(let entries) = root.content else {
      pass.report(
        "the file must be a mapping of keys, such as feeds:", at: root.location, cure: KeyTable.feedsExample)
      return nil
    }
    self.pass = pass
    top = Section(
      entries, at: root.location, isIncluded ? KeyTable.keysOfIncludes : Settings.keys.names, of: "", pass)
  }
}

/// The surroundings of a configuration, which the caller reads from the process.
public struct ConfigurationContext: Sendable {
  public var environment: [String: String]
  /// The home directory, `~` in paths; empty if there is none.
  public var home: String
  /// Whether a name is one of the system's time zones.
  public var isZone: @Sendable (String) -> Bool
  /// Access to the files that `include` names.
  public var files: ConfigurationFiles
  /// Whether the feeds are still to be added, so that a file may be empty or have none.
  public var mayLackFeeds = false
  /// The maximum size of all files together; tests set a lower one.
  var largest = largestConfiguration

  public init(
    environment: [String: String], home: String, files: ConfigurationFiles = .none,
    isZone: @escaping @Sendable (String) -> Bool
  ) {
    (self.environment, self.home) = (environment, home)
    (self.isZone, self.files) = (isZone, files)
  }
}

/// The result of reading a configuration.
public struct ConfigurationReading: Sendable {
  /// The settings; nil if and only if one of the problems is not a warning.
  public var settings: Settings?
  /// All mistakes and warnings, each once, in the order of the files and of their lines.
  public var problems: [ConfigurationProblem]
  /// The files that were read, as messages name them; the first one includes the others.
  public var files: [String]
  /// The absolute paths on which the result depends: the files, and the directories in which patterns were
  /// searched; an empty path means directories that themselves match a pattern.
  public var sources: [String]
  /// The variables of the environment that paths name.
  public var variables: Set<String>
}

/// The functions by which `include` finds and reads further files.
public struct ConfigurationFiles: Sendable {
  /// The files that match an absolute pattern of `*`, `?` and `[…]`, in the order of their bytes, or the
  /// reason why that is unknown; no files is a normal result.
  public var matching: @Sendable (_ pattern: String) -> Result<[String], Refusal>
  /// A text that is the same for every path to one file; nil if there is no file.
  public var identity: @Sendable (_ path: String) -> String?
  /// A file of at most a number of bytes, or the reason not to use it.
  public var read: @Sendable (_ path: String, _ limit: ByteCount) -> Result<ConfigurationFile, Refusal>

  public init(
    matching: @escaping @Sendable (_ pattern: String) -> Result<[String], Refusal>,
    identity: @escaping @Sendable (_ path: String) -> String?,
    read:
      @escaping @Sendable (_ path: String, _ limit: ByteCount) ->
      Result<ConfigurationFile, Refusal>
  ) {
    (self.matching, self.identity, self.read) = (matching, identity, read)
  }

  public static let none = ConfigurationFiles(
    matching: { _ in .success([]) }, identity: { _ in nil },
    read: { path, _ in .failure(Refusal("\(path): there is no such file", cure: nil)) })
}

public struct ConfigurationFile: Sendable {
  public var bytes: [UInt8]
  /// Warnings about a file that is used anyway, such as one that its group may write to.
  public var warnings: [Refusal]

  public init(bytes: [UInt8], warnings: [Refusal] = []) {
    (self.bytes, self.warnings) = (bytes, warnings)
  }
}

/// Why a file, a path or an edit is refused, and what to do.
public struct Refusal: Error, Sendable {
  public var what: String
  public var cure: String?

  public init(_ what: String, cure: String?) {
    (self.what, self.cure) = (what, cure)
  }
}

// MARK: One file

/// A mistake or a warning without its file.
struct Mistake: Error, Hashable {
  var location: Location
  var what: String
  var cure: String?
  /// Whether the configuration can be used anyway.
  var isWarning = false

  /// A mistake that was reported already.
  static let reported = Mistake(at: .start, "")

  init(at location: Location, _ what: String, cure: String? = nil) {
    (self.location, self.what, self.cure) = (location, what, cure)
  }
}

/// One pass over one file.
///
/// A class, because all readers report to the same list of mistakes. A reader that reports a mistake
/// continues with some value; nobody sees it, because a pass with a mistake gives no settings.
final class ConfigurationPass {
  let context: ConfigurationContext
  let file: String
  /// The file in messages.
  var shownFile: String { shownFileName(file) }
  /// The absolute path of the file.
  let path: String
  /// The directory of the file, from which relative paths start.
  let directory: String
  /// The feeds of all files; nil while not all of them are known.
  var feeds: FeedWords?
  /// The hooks that feeds name, checked when all hooks are read.
  var mentionedHooks: [(name: String, location: Location)] = []
  /// The templates of messages with placeholders of an item, checked likewise.
  var templatesOfItems: [(name: String, location: Location)] = []

  /// The variables of the environment that its paths name.
  var variables: Set<String> = []

  /// The number of mistakes so far, without warnings.
  private(set) var mistakeCount = 0
  /// Whether there are no mistakes, only warnings.
  var isUsable: Bool { mistakeCount == 0 }

  private var mistakes: [Mistake] = []

  /// The text of the file, once it is read.
  var source: SourceText?

  /// The maximum number of mistakes; a file that is not a configuration could fill the memory.
  private static let mostMistakes = 10_000

  init(file: String, path: String, context: ConfigurationContext) {
    (self.context, self.file, self.path) = (context, file, path)
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    directory = slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// A pass over a text that is not a configuration of this machine.
  convenience init() {
    let context = ConfigurationContext(environment: [:], home: "", isZone: { _ in true })
    self.init(file: "", path: "/", context: context)
  }

  func report(_ mistake: Mistake) {
    guard mistake != .reported else { return }
    if !mistake.isWarning { mistakeCount += 1 }
    guard mistakes.count < Self.mostMistakes else { return }
    mistakes.append(mistake)
    if mistakes.count == Self.mostMistakes - 1 {
      warn("there may be more mistakes", at: mistake.location, cure: "correct these first")
    }
  }

  func report(_ what: String, at location: Location, cure: String?) {
    report(Mistake(at: location, what, cure: cure))
  }

  /// The value of an expression; nil if it throws a mistake, which is reported.
  @discardableResult
  func reported<Value>(_ value: @autoclosure () throws(Mistake) -> Value?) -> Value? {
    do throws(Mistake) {
      return try value()
    } catch {
      report(error)
      return nil
    }
  }

  func warn(_ what: String, at location: Location, cure: String?) {
    var mistake = Mistake(at: location, what, cure: cure)
    mistake.isWarning = true
    report(mistake)
  }

  /// The list in the order of the file; a mistake that an alias repeats is reported once.
  var problems: [ConfigurationProblem] {
    var seen: Set<Mistake> = []
    let inOrder = mistakes.enumerated().sorted {
      ($0.element.location, $0.offset) < ($1.element.location, $1.offset)
    }
    return inOrder.map(\.element).filter { seen.insert($0).inserted }.map { mistake in
      ConfigurationProblem(
        file: file, line: Int(mistake.location.line), column: Int(mistake.location.column),
        what: mistake.what,
        cure: mistake.cure, isWarning: mistake.isWarning)
    }
  }
}

/// Text of the file as messages show it: on one line, short, without terminal escape sequences.
func shown(_ text: String, limit: Int = 60) -> String { visible(text, limit: limit) }
