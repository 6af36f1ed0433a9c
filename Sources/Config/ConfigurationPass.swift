// One pass over one file: what its readers share, and the mistakes that they find.

import Core

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
  /// Regular expressions, cron texts and templates that are known to be correct: a thousand feeds with one
  /// filter cost one compilation.
  var expressions = KnownExpressions()
  /// The feeds of all files; nil while not all of them are known.
  var feeds: FeedWords?
  /// The hooks that feeds name, checked when all hooks are read.
  var mentionedHooks: [(name: String, location: Location)] = []

  /// The number of mistakes so far, without warnings.
  private(set) var mistakeCount = 0
  /// Whether there are no mistakes, only warnings.
  var isUsable: Bool { mistakeCount == 0 }

  private var mistakes: [Mistake] = []

  /// The maximum number of mistakes; a file that is not a configuration could fill the memory.
  private static let mostMistakes = 10_000

  init(file: String, path: String, context: ConfigurationContext) {
    (self.context, self.file, self.path) = (context, file, path)
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    directory = slash == path.startIndex ? "/" : String(path[..<slash])
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

  /// The result of a reading function; nil if it throws a mistake, which is reported.
  @discardableResult
  func reported<Value>(_ read: () throws(Mistake) -> Value) -> Value? {
    do throws(Mistake) {
      return try read()
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
