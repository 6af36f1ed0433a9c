// Browsers for a page: which ones to try, and whether one shows it.

import Core
import Machine

/// The browsers that are tried for one page, one after the other, until one does not fail.
///
/// A browser outlives this process. Without a display, one in text mode gets this terminal until it ends.
struct BrowserTries {
  private let invocation: Invocation
  private var commands: ArraySlice<[String]>
  private var failures: [String] = []
  /// The browser that was started last, unless it could not be.
  private var browser: (name: String, program: DetachedProgram)?
  private var hasOpened = false

  /// Starts the first browser that can be started.
  init(_ page: String, _ invocation: Invocation) {
    self.invocation = invocation
    commands = browserCommands(invocation.environment["BROWSER"], page)[...]
    start()
  }

  /// Why no browser shows the page; nil if one does.
  mutating func failure() async -> String? {
    while let (name, program) = browser {
      guard let ending = await program.failure() else { return nil }
      failures.append("\(name) \(endingText(ending))")
      start()
    }
    return hasOpened ? nil : "\(failures.joined(separator: "; ")); set BROWSER"
  }

  private mutating func start() {
    browser = nil
    while !hasOpened, browser == nil, let words = commands.popFirst() {
      let command = Command(
        words[0], Array(words.dropFirst()), environment: invocation.environment, directory: invocation.home,
        limit: nil)
      do throws(StartFailure) {
        if invocation.browsesOnTerminal {
          let ending = try runOnTerminal(command)
          hasOpened = ending == .exited(0)
          if !hasOpened { failures.append("\(words[0]) \(endingText(ending))") }
        } else {
          browser = (words[0], try DetachedProgram(command))
        }
      } catch {
        failures.append(startText(error))
      }
    }
  }
}

extension Invocation {
  /// Whether a browser gets this terminal until it ends: there is no display.
  var browsesOnTerminal: Bool {
    console.output.isTerminal
      && !["DISPLAY", "WAYLAND_DISPLAY"].contains { !environment[$0, default: ""].isEmpty }
  }
}

/// The commands that show an address, in the order to try them.
///
/// `BROWSER` is a list with colons, whose entries may have arguments and `%s` for the address (xdg-open(1)).
func browserCommands(_ variable: String?, _ link: String) -> [[String]] {
  let named = (variable ?? "").split(separator: ":").map { $0.split(separator: " ").map(String.init) }
  let commands = named.filter { !$0.isEmpty }
  return (commands.isEmpty ? [["xdg-open"]] : commands).map { words in
    words.contains { $0.contains("%s") } ? words.map { $0.replacing("%s", with: link) } : words + [link]
  }
}
