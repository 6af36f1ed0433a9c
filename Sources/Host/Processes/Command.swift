// What is to be run, as a value. Running it is Supervisor's business.

/// A program with everything it is given; no shell ever sees it.
public struct Command: Hashable, Sendable {
  /// The program's name, looked up in `PATH` of `environment`, or its path.
  public var program: String
  /// The arguments after the program's name.
  public var arguments: [String]
  /// The whole environment; nothing is added to it.
  public var environment: [String: String]
  /// The working directory; `/` takes its place if it cannot be entered.
  public var directory: String
  /// What the program reads on standard input; it may leave it unread.
  public var input: [UInt8]
  /// How long it may run before its process group is ended; nil has no end.
  public var limit: Duration?
  /// How long the process group has between `SIGTERM` and `SIGKILL`; after a cancellation it is less than half a second.
  public var grace: Duration
  /// How many bytes of standard output are kept, from its beginning.
  public var outputLimit: Int
  /// How many bytes of standard error are kept, up to its end.
  public var errorLimit: Int

  /// A command; the limits have defaults because few callers care.
  public init(
    _ program: String, _ arguments: [String], environment: [String: String], directory: String,
    input: [UInt8] = [], limit: Duration?, grace: Duration = .seconds(5), outputLimit: Int = 4096,
    errorLimit: Int = 4096
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.directory = directory
    self.input = input
    self.limit = limit
    self.grace = grace
    self.outputLimit = outputLimit
    self.errorLimit = errorLimit
  }
}

/// How a command ended and the parts of its output that were kept.
public struct CommandResult: Hashable, Sendable {
  /// How it ended.
  public let ending: CommandEnding
  /// The beginning of standard output.
  public let output: [UInt8]
  /// Whether standard output went on after that.
  public let isOutputCut: Bool
  /// The end of standard error.
  public let errorTail: [UInt8]

  /// The first line of standard output without its newline, repaired where it is not UTF-8.
  ///
  /// Empty if there is none.
  public var firstLine: String {
    String(decoding: output.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}

/// How a command ended; an exit status other than 0 is a normal result here.
public enum CommandEnding: Hashable, Sendable {
  /// By itself, with this status.
  case exited(Int32)
  /// By this signal, which did not come from here.
  case signalled(Int32)
  /// Its time ran out, and its process group was ended.
  case timedOut
  /// The task was cancelled, and its process group was ended or never begun.
  case cancelled
  /// It was never begun.
  case couldNotStart(StartFailure)
}

/// Why a program cannot be started.
public enum StartFailure: Error, Hashable, Sendable {
  /// Nothing of that name is on the `PATH`, or at the path.
  case notFound(String)
  /// The file at the path is a directory, or may not be executed.
  case notExecutable(String)
  /// The file may be executed but is neither a program nor a script with a `#!` line.
  case notAProgram(String)
  /// The program that the file's `#!` line or ELF header asks for is missing.
  case interpreterMissing(String)
  /// An argument or variable holds a NUL byte, or a variable's name an `=`.
  case unusableText
  /// Another user may have written the program, or put it there.
  case unsafe(SafetyFinding)
  /// Arguments and environment are longer than the system allows.
  case tooLong
  /// The system refused, for example for lack of processes, descriptors or memory.
  case system(SystemError)
}
