// Starts one program with posix_spawn. Watching it is ProcessLoop's business.

import CLinux
import Glibc

/// The three streams of a child; its input is `/dev/null` where there is none.
struct ChildStreams {
  let input: Descriptor?
  let output: Descriptor
  let errors: Descriptor
}

/// Starts a program in a session and process group of its own, and gives its process id.
///
/// A session, because a hook or password command must behave at a terminal as it does under cron: in a mere
/// background group one that asks at `/dev/tty` would be stopped and stand still. It gets default signals, an
/// empty signal mask, and none of our files beside the streams.
func spawn(_ command: Command, _ streams: ChildStreams) throws(StartFailure) -> pid_t {
  let variables = command.environment.sorted { $0.key < $1.key }
  let arguments = [command.program] + command.arguments
  let texts = arguments + variables.flatMap { [$0.key, $0.value] }
  guard !texts.contains(where: { $0.utf8.contains(0) }), !variables.contains(where: { $0.key.contains("=") })
  else { throw .unusableText }

  let directory = canEnter(command.directory) ? command.directory : "/"
  let file = try findProgram(command.program, path: command.environment["PATH"], directory: directory)
  try requireSafe(program: file)
  let code = withCStrings(arguments) { argumentVector in
    withCStrings(variables.map { $0.key + "=" + $0.value }) { environmentVector in
      spawn(file, argumentVector, environmentVector, directory, streams)
    }
  }
  switch code {
  case .success(let child): return child
  case .failure(let error):
    switch error.code {
    case ENOENT: throw .interpreterMissing(file)
    case EACCES: throw .notExecutable(file)
    case ENOEXEC: throw .notAProgram(file)
    case E2BIG: throw .tooLong
    default: throw .system(error)
    }
  }
}

/// Refuses a program that another user may have written: it would do whatever we may do.
public func requireSafe(program file: String) throws(StartFailure) {
  do throws(FileFailure) {
    try FileSafety.require(file)
  } catch {
    // Whatever else is wrong, the system says so when it is started.
    if case .unsafe(let finding) = error.problem { throw .unsafe(finding) }
  }
}

/// A `char *const[]` that ends with a null pointer, as posix_spawn(3) takes it.
private typealias CStrings = UnsafePointer<UnsafeMutablePointer<CChar>?>

private func spawn(
  _ file: String, _ arguments: CStrings, _ environment: CStrings, _ directory: String, _ streams: ChildStreams
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
  posix_spawnattr_setflags(&attributes, bgfetch_spawn_flags)

  // Each of these fails for lack of memory only.
  var codes: [Int32] = []
  if let input = streams.input {
    codes.append(input.borrow { posix_spawn_file_actions_adddup2(&actions, $0, STDIN_FILENO) })
  } else {
    codes.append(posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0))
  }
  codes.append(streams.output.borrow { posix_spawn_file_actions_adddup2(&actions, $0, STDOUT_FILENO) })
  codes.append(streams.errors.borrow { posix_spawn_file_actions_adddup2(&actions, $0, STDERR_FILENO) })
  codes.append(bgfetch_add_close_from(&actions, STDERR_FILENO + 1))
  codes.append(bgfetch_add_change_directory(&actions, directory))
  if let code = codes.first(where: { $0 != 0 }) { return .failure(SystemError(code: code)) }

  var child = pid_t()
  let code = withExtendedLifetime(streams) {
    posix_spawn(&child, file, &actions, &attributes, arguments, environment)
  }
  return code == 0 ? .success(child) : .failure(SystemError(code: code))
}

/// Whether a directory can be made the working directory; posix_spawn's error would not tell it from the
/// program.
private func canEnter(_ directory: String) -> Bool {
  // Any reason not to is the same to the caller.
  guard let status = try? FileStatus(directory, following: true) else { return false }
  return status.kind == .directory && faccessat(AT_FDCWD, directory, X_OK, AT_EACCESS) == 0
}

/// Lends texts as a null-terminated vector of C strings.
private func withCStrings<Outcome>(_ texts: [String], _ body: (CStrings) -> Outcome) -> Outcome {
  // One block for all, each text followed by its NUL; none holds one itself.
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
      // Never empty: there is always the final null pointer.
      guard let start = vector.baseAddress else { return body([nil]) }
      return body(start)
    }
  }
}
