// The transfers that a command line names: by their numbers, or by their feeds.

import ArgumentParser
import Core

/// The transfers that a command changes: those that are named, or all, but never all for want of a name.
struct NamedTransfers: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Transfers by number, or those of feeds by name, glob or @tag.", valueName: "transfer"),
    completion: .feedNames)
  var transfers: [String] = []

  @Flag(help: "All transfers.")
  var all = false

  func validate() throws {
    guard all || !transfers.isEmpty else {
      throw ValidationError("name transfers by number or by feed, or write --all")
    }
    if all, !transfers.isEmpty { throw ValidationError("write transfers or --all, not both") }
  }
}

/// Words that select transfers, told apart.
struct TransferWords: Hashable {
  /// Numbers of transfers, `12` or `#12`.
  let numbers: Set<Int64>
  /// Names, globs and tags of feeds.
  let feeds: [String]

  /// Tells words apart: one of digits only is a number.
  init(_ words: [String]) throws {
    var numbers: Set<Int64> = []
    var feeds: [String] = []
    for word in words {
      let digits = word.hasPrefix("#") ? word.dropFirst() : word[...]
      guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
        feeds.append(word)
        continue
      }
      guard let number = Int64(digits) else { throw Self.noTransfer(String(digits)) }
      numbers.insert(number)
    }
    self.numbers = numbers
    self.feeds = feeds
  }

  /// Whether there are none, which means all.
  var isEmpty: Bool { numbers.isEmpty && feeds.isEmpty }

  /// Whether they are one number.
  var isOne: Bool { numbers.count == 1 && feeds.isEmpty }

  /// What is said of a number that no transfer has.
  static func noTransfer(_ number: String) -> ProgramFailure {
    .usage("there is no transfer \(number); bgfetch transfers list --all shows them")
  }
}
