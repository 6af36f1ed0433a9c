// One pass over one file: what surrounds it, and the list of mistakes that grows on the way.

import Core

/// A mistake or a warning, before it is known in which file.
struct Mistake: Error, Hashable {
  /// Where.
  var place: Place
  /// What is wrong.
  var what: String
  /// What would be right.
  var cure: String?
  /// Whether the configuration can be used all the same.
  var isWarning = false

  /// A mistake at a place.
  init(at place: Place, _ what: String, cure: String? = nil) {
    self.place = place
    self.what = what
    self.cure = cure
  }
}

/// One pass over one configuration.
///
/// A class, because every value that is read reports to the same list; it lives as long as the pass. Readers
/// report and go on with what they have: a value that is wrong never reaches anyone, since a pass with a
/// mistake gives no settings.
final class ConfigurationPass {
  /// What surrounds the configuration.
  let context: ConfigurationContext
  /// The file as messages name it.
  let file: String
  /// The file as seen from the root.
  let path: String
  /// The directory of the file, to which relative paths are relative.
  let directory: String
  /// Regular expressions, cron texts and templates that were found right, so that a thousand feeds with one
  /// filter do not cost a thousand compilations.
  var expressions = KnownExpressions()
  /// Hooks that feeds name, to be looked for once all hooks are read.
  var mentionedHooks: [(name: String, place: Place)] = []

  /// Whether there is nothing worse than a warning.
  private(set) var isUsable = true

  private var mistakes: [Mistake] = []

  /// More than anyone mends in one go; a file that is no configuration at all could fill the memory.
  private static let mostMistakes = 10_000

  /// A pass over the file at an absolute path, which messages name as the user did.
  init(file: String, path: String, context: ConfigurationContext) {
    self.context = context
    self.file = file
    self.path = path
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    directory = slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Adds a mistake to the list.
  func report(_ mistake: Mistake) {
    isUsable = isUsable && mistake.isWarning
    guard mistakes.count < Self.mostMistakes else { return }
    mistakes.append(mistake)
    if mistakes.count == Self.mostMistakes - 1 {
      warn("more may be wrong than is said here", at: mistake.place, cure: "mend this first")
    }
  }

  /// Adds a mistake to the list.
  func report(_ what: String, at place: Place, cure: String?) {
    report(Mistake(at: place, what, cure: cure))
  }

  /// Adds a warning to the list.
  func warn(_ what: String, at place: Place, cure: String?) {
    var mistake = Mistake(at: place, what, cure: cure)
    mistake.isWarning = true
    report(mistake)
  }

  /// The list in the order of the file; what an alias repeats is said once.
  var problems: [ConfigurationProblem] {
    var said: Set<Mistake> = []
    let inOrder = mistakes.enumerated().sorted {
      ($0.element.place, $0.offset) < ($1.element.place, $1.offset)
    }
    return inOrder.map(\.element).filter { said.insert($0).inserted }.map { mistake in
      ConfigurationProblem(
        file: file, line: Int(mistake.place.line), column: Int(mistake.place.column), what: mistake.what,
        cure: mistake.cure, isWarning: mistake.isWarning)
    }
  }
}

/// Text of the file as a message shows it: on one line, without what a terminal would obey, and not too long.
func shown(_ text: String, limit: Int = 60) -> String { visible(text, limit: limit) }
