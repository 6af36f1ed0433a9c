// `bgfetch simulate`.

public import ArgumentParser
public import Core

struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate", abstract: "Try out what a fetch would lead to, without network and for no keeps")

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("A feed, by name.", valueName: "feed"), completion: .feedNames)
  var feed: String

  @Option(help: ArgumentHelp("What the fetch comes to.", valueName: "result"))
  var result: SimulatedResult

  @Option(help: ArgumentHelp("How many such fetches there are, one after the other.", valueName: "number"))
  var times = 1

  func validate() throws {
    guard (1...100).contains(times) else { throw ValidationError("--times takes a number from 1 to 100") }
  }

  func run() async {
    await Invocation.perform(common) { invocation in
      try await invocation.simulate(feed, result, times: times)
    }
  }
}

extension SimulatedResult: ExpressibleByArgument {}
