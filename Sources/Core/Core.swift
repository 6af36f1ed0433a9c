// Core holds the values of bgfetch and its decisions as pure functions. The same input always gives the same output.
//
// Its folders are domains, from the general to the particular:
//
// - Time, Text, HTTP: moments and schedules, text that is safe to show, what requests and responses mean. Parsers of documents
//   are in Formats.
// - Configuration: the checked configuration as values.
// - Scheduling: the feeds of a run (`PlannedFeeds`), one feed (`dueDecision`) and its reasons in words (`whyReport`),
//   what a fetch changes (`stateAfterSuccess`, `stateAfterFailure`), the order of requests (`HostQueue`), and the daemon
//   (`WatchScheduler`). The run and `why` use the same decisions.
// - Fetching, Items: the outcome of a fetch, and which items are new or updated (`classify`).
// - HTML: the tree of a page, selectors, and the HTML of items as text and as HTML that can do no harm.
// - Downloads, Messages, Push: transfers of assets, notifications, hooks and mail, remote notifications.
// - Habits, Subscriptions: learned times, import and export.
//
// Each domain has functions that decide and give reasons, such as the due decision of a feed, the classification of a
// document's items and the next state of a transfer. Modules that act call them and carry out the result.
//
// Never in Core: reading a clock, files, the network, environment variables, processes, threads, random numbers or
// Foundation. Time and randomness come in as arguments. Core imports no other module.

/// The tasks of the program.
public enum ProgramTasks {
  /// The executor for unstructured tasks, which do not inherit their creator's (SE-0417); nil outside the program.
  ///
  /// Without one they would run on libdispatch, which waits for ever if the system refuses it a thread.
  @TaskLocal public static var executor: (any TaskExecutor)?
}

/// The result of a call that may throw.
public func result<Value, Failure>(_ body: () async throws(Failure) -> Value) async -> Result<Value, Failure>
{
  do throws(Failure) {
    return .success(try await body())
  } catch {
    return .failure(error)
  }
}
