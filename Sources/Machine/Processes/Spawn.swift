// Finds a program and starts it with posix_spawn(3).

import CLinux
public import Core
import Glibc

/// Finds the file to execute for a program's name or path.
///
/// A name is looked up in `PATH`, and last in `/usr/sbin`, where sendmail(8) is. Empty and relative entries of `PATH` are skipped, so that the choice does not depend on
/// the working directory. Without a `PATH` it is `/usr/bin:/bin`, as under cron.
///
/// - Parameters:
///   - name: a name, or a path (with a slash); a relative path starts in `directory`.
///   - path: the value of `PATH`.
///   - directory: the directory in which the program will run.
/// - Returns: the path of the file.
/// - Throws: `notFound`; `notExecutable` with the first file of that name; `notAProgram` for a path that is not a file.
public func findProgram(_ name: String, path: String?, directory: String) throws(StartFailure) -> String {
  if name.contains("/") {
    let file = name.hasPrefix("/") ? name : directory + "/" + name
    guard let isProgram = isExecutableFile(file) else {
      throw (try? FileStatus(file, following: true)) == nil ? .notFound(name) : .notAProgram(file)
    }
    guard isProgram else { throw .notExecutable(file) }
    return file
  }
  var unusable: String?
  for directory in ((path ?? "/usr/bin:/bin") + ":/usr/sbin").split(separator: ":")
  where directory.hasPrefix("/") && !name.isEmpty {
    let file = directory + "/" + name
    guard let isProgram = isExecutableFile(file) else { continue }
    if isProgram { return file }
    unusable = unusable ?? file
  }
  throw unusable.map { .notExecutable($0) } ?? .notFound(name)
}

/// Whether a file is executable; nil if it does not exist, cannot be seen, or is not a regular file.
private func isExecutableFile(_ path: String) -> Bool? {
  // A program that this user cannot see cannot be run either.
  guard let status = try? FileStatus(path, following: true), status.kind == .file else { return nil }
  return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0
}

/// The standard streams of a child; nil input is `/dev/null`.
struct ChildStreams {
  let input: Descriptor?
  let output: Descriptor
  let errors: Descriptor
}

/// Starts a program in a session and process group of its own.
///
/// It gets a session, because a hook or password command must behave at a terminal as it does under cron: in a
/// background group a program that reads `/dev/tty` would be stopped forever. It gets default signals, an empty signal
/// mask, and no open files but the streams.
///
/// Without streams it keeps the session and terminal of this process instead, and its streams, but perhaps input and output.
///
/// - Parameter isTrusted: whether the program may run although another user could have written it.
func spawn(
  _ command: Command, _ streams: ChildStreams?, input: Descriptor? = nil, output: Descriptor? = nil,
  isTrusted: Bool = false
) throws(StartFailure) -> pid_t {
  let variables = command.environment.sorted { $0.key < $1.key }
  let arguments = [command.program] + command.arguments
  let texts = arguments + variables.flatMap { [$0.key, $0.value] }
  guard !texts.contains(where: { $0.utf8.contains(0) }), !variables.contains(where: { $0.key.contains("=") })
  else { throw .unusableText }

  let directory = canEnter(command.directory) ? command.directory : "/"
  let file = try findProgram(command.program, path: command.environment["PATH"], directory: directory)
  if !isTrusted { try requireSafe(program: file) }
  let spawned = withCStrings(arguments) { argumentVector in
    withCStrings(variables.map { $0.key + "=" + $0.value }) { environmentVector in
      spawn(file, argumentVector, environmentVector, directory, streams, input, output)
    }
  }
  switch spawned {
  case .success(let child): return child
  case .failure(let error):
    switch error.code {
    case ENOENT: throw .interpreterMissing(file)
    case EACCES: throw .notExecutable(file)
    case ENOEXEC: throw .notAProgram(file)
    default: throw .system(error)
    }
  }
}

/// A program that outlives this process, such as a browser: in a session of its own, without streams.
public struct DetachedProgram: Sendable {
  private let process: pid_t
  private let started = WallClock.monotonicMilliseconds()

  /// Starts it.
  public init(_ command: Command) throws(StartFailure) {
    let nothing = try starting(Descriptor.open("/dev/null", O_WRONLY))
    process = try spawn(command, ChildStreams(input: nil, output: nothing, errors: nothing))
  }

  /// How it failed within two seconds from its start; nil if it succeeded or runs longer.
  public func failure() async -> CommandEnding? {
    while true {
      if let ending = status(of: process, reap: true) { return ending == .exited(0) ? nil : ending }
      guard WallClock.monotonicMilliseconds() < started + 2000,
        (try? await WallClock.sleep(for: .milliseconds(20))) != nil
      else { return nil }
    }
  }
}

/// Another process of this program, which writes to the same output and reports by lines.
public struct ReportingProgram: Sendable {
  private let process: pid_t
  /// The reports; the other end is the program's standard input.
  let pipe: Descriptor
  private var unread: [UInt8] = []

  /// Starts it; the input of the command is ignored.
  public init(_ command: Command) throws(StartFailure) {
    let reports = try starting(Pipe())
    try starting(reports.reading.stopWaiting())
    let streams = ChildStreams(
      input: reports.writing, output: try starting(Descriptor.copy(of: STDOUT_FILENO)),
      errors: try starting(Descriptor.copy(of: STDERR_FILENO)))
    process = try spawn(command, streams, isTrusted: true)
    pipe = reports.reading
  }

  /// Reports a line to the process that started this one.
  public static func report(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    // It fails only if that process has ended.
    _ = write(STDIN_FILENO, bytes, bytes.count)
  }

  /// The lines since the last call, and how the program has ended; nil if it has not.
  public mutating func news() -> (lines: [String], ending: CommandEnding?) {
    var hasEnded = false
    while let bytes = try? pipe.read(atMost: 4096) {
      if bytes.isEmpty {
        hasEnded = true
        break
      }
      unread += bytes
    }
    let parts = unread.split(separator: "\n", omittingEmptySubsequences: false)
    unread = Array(parts.last ?? [])
    return (
      parts.dropLast().map { String(decoding: $0, as: UTF8.self) }, hasEnded ? waitForEnd(process) : nil
    )
  }

  public func send(_ signal: StopSignal) { Glibc.kill(process, signal.rawValue) }

  /// Ends the program at once.
  public func kill() { Glibc.kill(process, SIGKILL) }
}

/// Waits until a child has ended, and reaps it.
func waitForEnd(_ child: pid_t) -> CommandEnding {
  var ended = siginfo_t()
  // It stays a zombie for `status`.
  while waitid(P_PID, id_t(child), &ended, WEXITED | WNOWAIT) == -1, errno == EINTR {}
  return status(of: child, reap: true) ?? .signalled(SIGKILL)
}

/// The outcome of system calls before a program starts.
@discardableResult
func starting<Outcome>(
  _ outcome: @autoclosure () throws(SystemError) -> Outcome
) throws(StartFailure) -> Outcome {
  do throws(SystemError) {
    return try outcome()
  } catch {
    throw .system(error)
  }
}

/// Refuses a program that another user could have written: it would run with our rights.
public func requireSafe(program file: String) throws(StartFailure) {
  do throws(FileFailure) {
    try FileSafety.require(file)
  } catch {
    // Other problems are reported when the program starts.
    if case .unsafe(let finding) = error.problem { throw .unsafe(finding) }
  }
}

/// A `char *const[]` that ends with a null pointer, as posix_spawn(3) takes it.
private typealias CStrings = UnsafePointer<UnsafeMutablePointer<CChar>?>

private func spawn(
  _ file: String, _ arguments: CStrings, _ environment: CStrings, _ directory: String,
  _ streams: ChildStreams?, _ input: Descriptor?, _ output: Descriptor?
) -> Result<pid_t, SystemError> {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }

  var everySignal = sigset_t()
  sigfillset(&everySignal)
  var noSignal = sigset_t()
  sigemptyset(&noSignal)
  posix_spawnattr_setsigdefault(&attributes, &everySignal)
  posix_spawnattr_setsigmask(&attributes, &noSignal)
  posix_spawnattr_setflags(
    &attributes, streams == nil ? bgfetch_foreground_spawn_flags : bgfetch_spawn_flags)

  // Each of these fails only for lack of memory.
  var codes: [Int32] = []
  if let input = input ?? streams?.input {
    codes.append(input.borrow { posix_spawn_file_actions_adddup2(&actions, $0, STDIN_FILENO) })
  } else if streams != nil {
    codes.append(posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0))
  }
  if let output = output ?? streams?.output {
    codes.append(output.borrow { posix_spawn_file_actions_adddup2(&actions, $0, STDOUT_FILENO) })
  }
  if let streams {
    codes.append(streams.errors.borrow { posix_spawn_file_actions_adddup2(&actions, $0, STDERR_FILENO) })
  }
  codes.append(bgfetch_add_close_from(&actions, STDERR_FILENO + 1))
  codes.append(bgfetch_add_change_directory(&actions, directory))
  if let code = codes.first(where: { $0 != 0 }) { return .failure(SystemError(code: code)) }

  var child = pid_t()
  let code = withExtendedLifetime((streams, input, output)) {
    posix_spawn(&child, file, &actions, &attributes, arguments, environment)
  }
  return code == 0 ? .success(child) : .failure(SystemError(code: code))
}

/// Whether a directory can be entered.
///
/// An error of posix_spawn would not say whether the directory or the program is the cause.
private func canEnter(_ directory: String) -> Bool {
  guard let status = try? FileStatus(directory, following: true) else { return false }
  return status.kind == .directory && faccessat(AT_FDCWD, directory, X_OK, AT_EACCESS) == 0
}

/// Passes texts as a null-terminated vector of C strings.
private func withCStrings<Outcome>(_ texts: [String], _ body: (CStrings) -> Outcome) -> Outcome {
  // One block for all, with a NUL after each text; no text contains one.
  var bytes: [CChar] = []
  var offsets: [Int] = []
  for text in texts {
    offsets.append(bytes.count)
    bytes += text.utf8.map(CChar.init(bitPattern:))
    bytes.append(0)
  }
  return bytes.withUnsafeMutableBufferPointer { block in
    let pointers = offsets.map { offset in block.baseAddress.map { $0 + offset } } + [nil]
    return pointers.withUnsafeBufferPointer { vector in
      // Never empty: the final null pointer is always there.
      guard let start = vector.baseAddress else { return body([nil]) }
      return body(start)
    }
  }
}
