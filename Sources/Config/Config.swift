// Config: YAML to settings. Read this file first: bytes become trees with places (YAML), trees become settings (Sections,
// Values), and all mistakes are reported at once. The door is `readConfiguration`. Keys has the table of all keys, and
// Writing uses it. Editing adds and removes feeds in the text of a file. Decisions about feeds never belong here, and no
// file is opened here.

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
  var read: (settings: Settings, feeds: FeedsReading)?
  var directories: [String] = []
  var texts = [bytes]
  if bytes.count > context.limits.largest.bytes {
    main.report(
      "the file is larger than \(context.limits.largest.text)", at: .start, cure: "is this the right file?")
  } else if let top = ConfigurationPart(bytes, main, number: 0) {
    let included = includedParts(of: top, path: path, size: bytes.count)
    passes += included.passes
    directories = included.directories
    texts += included.texts
    read = readSettings(
      [top] + included.parts, path: path,
      isComplete: included.isComplete && context.known == nil, context)
  }
  let reading = ConfigurationReading(
    settings: passes.allSatisfy(\.isUsable) ? read?.settings : nil, index: read?.feeds.index,
    uses: read?.feeds.uses ?? FeedUses(), problems: passes.flatMap(\.problems), files: passes.map(\.file),
    sources: passes.map(\.path) + directories, texts: texts)
  let size = texts.reduce(0) { $0 + $1.count }
  guard reading.settings == nil, context.known == nil, size <= context.limits.largestAgain,
    size >= context.limits.smallestInParts
  else { return reading }
  // A mistake in one place may make a part of the file mean something else than it does in the whole.
  var whole = context
  whole.limits.smallestInParts = .max
  return readConfiguration(bytes, file: file, path: path, context: whole)
}

/// Reads a configuration whose files have not changed since they were indexed; feeds are read when they are asked for.
///
/// Warnings about feeds are not repeated. `facts` are those of all feeds.
///
/// - Returns: nil if the index does not fit; the parameters are those of the other `readConfiguration`.
public func readConfiguration(
  _ bytes: [UInt8], file: String, path: String, context: ConfigurationContext, index: FeedIndex,
  facts: FeedListFacts
) -> ConfigurationReading? {
  var context = context
  context.known = (index, facts)
  let reading = readConfiguration(bytes, file: file, path: path, context: context)
  return reading.settings == nil ? nil : reading
}

/// The maximum size of all files together: enough for a million feeds.
public let largestConfiguration = ByteCount(250_000_000)

/// One file of the configuration.
struct ConfigurationPart {
  let pass: ConfigurationPass
  /// Its keys; without feeds if there is an index of these.
  let top: Section
  let bytes: [UInt8]
  /// Where its feeds are, if they are read part by part.
  let index: FeedIndex?

  /// Parses a file; nil, with a mistake, if it is not a mapping.
  ///
  /// An included file may be empty, for example if every line is commented out.
  ///
  /// - Parameter number: 0 for the main file, then the number of the included file.
  init?(_ bytes: [UInt8], _ pass: ConfigurationPass, number: Int) {
    var text = bytes
    if let known = pass.context.known?.index {
      index = nil
      guard let rest = known.textWithoutFeeds(ofFile: number, bytes, keepsLines: false) else {
        pass.report("the file has changed", at: .start, cure: nil)
        return nil
      }
      text = rest
    } else {
      index = bytes.count < pass.context.limits.smallestInParts ? nil : FeedIndex(of: bytes)
      if let rest = index?.textWithoutFeeds(ofFile: 0, bytes, keepsLines: true) { text = rest }
    }
    let isIncluded = number > 0
    guard let root = composeTree(text, pass, mayBeEmpty: isIncluded) else { return nil }
    guard case .mapping(let entries) = root.content else {
      pass.report(
        "the file must be a mapping of keys, such as feeds:", at: root.place, cure: KeyTable.feedsExample)
      return nil
    }
    self.pass = pass
    self.bytes = bytes
    top = Section(
      isIncluded ? keysOfInclude(entries, pass) : entries, at: root.place, path: "",
      only: isIncluded ? KeyTable.keysOfIncludes : nil, pass)
  }

  /// The number of feeds, invalid ones included.
  var feedCount: Int { index?.count ?? top["feeds"]?.entryCount ?? 0 }

  /// Reads the entries of `feeds`, in the order of the file.
  func readFeeds(_ read: (Node.Entry) -> Void) {
    // Without feeds, the value may be a mistake.
    guard let index, index.count > 0 else {
      top["feeds"]?.feedEntries.forEach(read)
      return
    }
    for part in index.texts(ofFeedsPer: pass.context.limits.feedsPerPart, bytes) {
      feedEntries(in: part.text, pass, firstLine: part.line).forEach(read)
    }
  }
}

/// The entries of a text that has only feeds.
func feedEntries(in text: [UInt8], _ pass: ConfigurationPass, firstLine: Int32 = 1) -> [Node.Entry] {
  guard case .mapping(let keys) = composeTree(text, pass, firstLine: firstLine)?.content else { return [] }
  return keys.first.map { Field($0, pass).feedEntries } ?? []
}

extension Field {
  /// The feeds; none, with a mistake, if the value is not a mapping.
  fileprivate var feedEntries: [Node.Entry] {
    entries(expecting: "a mapping of names such as planet: https://…") ?? []
  }

  fileprivate var entryCount: Int {
    if case .mapping(let entries) = node.content { entries.count } else { 0 }
  }
}

/// How much is read, and how much at once; tests set lower limits.
struct ReadingLimits {
  var largest = largestConfiguration
  /// The maximum number of feeds.
  var mostFeeds = 1_000_000
  /// The size, in bytes, from which feeds are read part by part, so that they are never in memory together.
  var smallestInParts = 32 << 10
  /// The size up to which files with a mistake are read again as a whole.
  var largestAgain = 8 << 20
  var feedsPerPart = 1000
}

/// The surroundings of a configuration, which the caller reads from the process.
public struct ConfigurationContext: Sendable {
  public var environment: [String: String]
  /// The home directory, `~` in paths; empty if there is none.
  public var home: String
  /// The absolute path of the state directory given on the command line, which overrides the file's.
  public var state: String?
  /// Whether a name is one of the system's time zones.
  public var isZone: @Sendable (String) -> Bool
  /// Access to the files that `include` names.
  public var files: ConfigurationFiles
  /// The index of the feeds, which are known to be valid, and the facts about them.
  var known: (index: FeedIndex, facts: FeedListFacts)?
  var limits = ReadingLimits()

  public init(
    environment: [String: String], home: String, state: String? = nil, files: ConfigurationFiles = .none,
    isZone: @escaping @Sendable (String) -> Bool
  ) {
    self.environment = environment
    self.home = home
    self.state = state
    self.isZone = isZone
    self.files = files
  }
}

/// The result of reading a configuration.
public struct ConfigurationReading: Sendable {
  /// The settings; nil if and only if one of the problems is not a warning.
  public var settings: Settings?
  /// Where the feeds are in the files; nil for a small configuration, and if feeds can only be read together.
  public var index: FeedIndex?
  /// What the feeds use; empty if only an index was read.
  public var uses: FeedUses
  /// All mistakes and warnings, each once, in the order of the files and of their lines.
  public var problems: [ConfigurationProblem]
  /// The files that were read, as messages name them; the first one includes the others.
  public var files: [String]
  /// The absolute paths on which the result depends: the files, and the directories in which patterns were
  /// searched; an empty path means directories that themselves match a pattern.
  public var sources: [String]
  /// The contents of the files.
  public var texts: [[UInt8]]
}

/// The functions by which `include` finds and reads further files.
public struct ConfigurationFiles: Sendable {
  /// The files that match an absolute pattern of `*`, `?` and `[…]`, in the order of their bytes, or the
  /// reason why that is unknown; no files is a normal result.
  public var matching: @Sendable (_ pattern: String) -> Result<[String], ConfigurationFileRefusal>
  /// A text that is the same for every path to one file; nil if there is no file.
  public var identity: @Sendable (_ path: String) -> String?
  /// A file of at most a number of bytes, or the reason not to use it.
  public var read:
    @Sendable (_ path: String, _ limit: ByteCount) -> Result<ConfigurationFile, ConfigurationFileRefusal>

  public init(
    matching: @escaping @Sendable (_ pattern: String) -> Result<[String], ConfigurationFileRefusal>,
    identity: @escaping @Sendable (_ path: String) -> String?,
    read:
      @escaping @Sendable (_ path: String, _ limit: ByteCount) ->
      Result<ConfigurationFile, ConfigurationFileRefusal>
  ) {
    self.matching = matching
    self.identity = identity
    self.read = read
  }

  public static let none = ConfigurationFiles(
    matching: { _ in .success([]) }, identity: { _ in nil },
    read: { path, _ in .failure(ConfigurationFileRefusal("\(path): there is no such file", cure: nil)) })
}

public struct ConfigurationFile: Sendable {
  public var bytes: [UInt8]
  /// Warnings about a file that is used anyway, such as one that its group may write to.
  public var warnings: [ConfigurationFileRefusal]

  public init(bytes: [UInt8], warnings: [ConfigurationFileRefusal] = []) {
    self.bytes = bytes
    self.warnings = warnings
  }
}

/// The reason why a file is not used.
public struct ConfigurationFileRefusal: Error, Hashable, Sendable {
  public var what: String
  public var cure: String?

  public init(_ what: String, cure: String?) {
    self.what = what
    self.cure = cure
  }
}
