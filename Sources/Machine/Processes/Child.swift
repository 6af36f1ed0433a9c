// One running command: its process group, its pipes and the output that is kept.

import CLinux
import Core
import Glibc

/// A running command.
struct Child {
  let group: ProcessGroup
  private let command: Command
  /// Becomes readable when the leader ends; nil if the system has no pidfd_open(2) (before Linux 5.3).
  private let handle: Descriptor?
  private var inputPipe: Descriptor?
  private var outputPipe: Descriptor?
  private var errorPipe: Descriptor?
  /// How the leader ended, nil while it runs.
  private var ending: CommandEnding?
  private var isCancelled = false
  private var input: ArraySlice<UInt8>
  private var output: Capture
  private var errors: Capture
  private var supervision: Supervision

  init(_ command: Command, at now: Int64) throws(StartFailure) {
    let pipes = (
      input: command.input.isEmpty ? nil : try starting(Pipe()), output: try starting(Pipe()),
      errors: try starting(Pipe())
    )
    try starting(pipes.input?.writing.stopWaiting())
    try starting(pipes.output.reading.stopWaiting())
    try starting(pipes.errors.reading.stopWaiting())
    let streams = ChildStreams(
      input: pipes.input?.reading, output: pipes.output.writing, errors: pipes.errors.writing)
    // Input that fits into the pipe is there before the program starts: a kill of this process does not cut it.
    var input = command.input[...]
    let isWritten = pipes.input.map { Self.fill($0.writing, from: &input) } ?? true
    let leader = try spawn(command, streams)
    group = ProcessGroup(leader: leader)
    self.command = command
    let descriptor = bgfetch_process_descriptor(leader)
    handle = descriptor >= 0 ? Descriptor(owning: descriptor) : nil
    inputPipe = isWritten ? nil : pipes.input?.writing
    outputPipe = pipes.output.reading
    errorPipe = pipes.errors.reading
    self.input = input
    output = Capture(.beginning, limit: command.outputLimit)
    errors = Capture(.end, limit: command.errorLimit)
    supervision = Supervision(startedAt: now, limit: command.limit, grace: command.grace)
  }

  /// Serves the command until it is done; it is cancelled when `stop` becomes readable.
  ///
  /// The leader stays a zombie until then, so that no other process gets the number of its group.
  mutating func run(until stop: Descriptor) -> CommandResult {
    while true {
      // Check for its end first, so that everything it wrote before is then read.
      if ending == nil { ending = status(of: group.leader, reap: false) }
      exchange()
      let now = WallClock.monotonicMilliseconds()
      while let step = step(at: now) {
        switch step {
        case .terminateGroup: group.terminate()
        case .killGroup: group.kill()
        case .finish(let ending):
          return CommandResult(
            ending: ending, output: output.bytes, isOutputCut: output.isCut, errorTail: errors.bytes)
        }
      }
      sleep(now, stop)
    }
  }

  /// Writes input and reads output as far as possible without waiting.
  private mutating func exchange() {
    if let pipe = inputPipe, Self.fill(pipe, from: &input) { inputPipe = nil }
    if let pipe = outputPipe, Self.drain(pipe, into: &output) { outputPipe = nil }
    if output.isCut, command.closesOutputAtLimit { outputPipe = nil }
    if let pipe = errorPipe, Self.drain(pipe, into: &errors) { errorPipe = nil }
  }

  /// The next step of its supervision.
  private mutating func step(at now: Int64) -> Supervision.Step? {
    let isLeft = command.mayOutlive && output.bytes.contains("\n")
    let facts = Supervision.Facts(
      leader: ending ?? (isLeft ? .exited(0) : nil),
      isOutputOpen: !isLeft && (outputPipe != nil || errorPipe != nil), isCancelled: isCancelled)
    return supervision.step(at: now, facts)
  }

  /// Waits until something happens or the next check is due.
  private mutating func sleep(_ now: Int64, _ stop: Descriptor) {
    let sources = [
      (stop, POLLIN), (ending == nil ? handle : nil, POLLIN), (outputPipe, POLLIN), (errorPipe, POLLIN),
      (inputPipe, POLLOUT),
    ]
    // poll(2) ignores negative numbers.
    var wanted = sources.map { source, events in
      pollfd(fd: source?.borrow { $0 } ?? -1, events: Int16(events), revents: 0)
    }
    // Without a handle, only polling shows that the leader has ended.
    let check = handle == nil && ending == nil ? now + Self.checkInterval : nil
    let wake = [supervision.nextCheck, check].compactMap(\.self).min()
    poll(&wanted, nfds_t(wanted.count), wake.map { Int32(clamping: max(0, $0 - now)) } ?? -1)
    if wanted[0].revents != 0 {
      isCancelled = true
      // Else it would end each further wait.
      _ = try? stop.read(atMost: MemoryLayout<UInt64>.size)
    }
  }

  private static let checkInterval: Int64 = 20

  /// Writes as much as the pipe takes without waiting; true if nothing is left to write.
  private static func fill(_ pipe: Descriptor, from input: inout ArraySlice<UInt8>) -> Bool {
    while !input.isEmpty {
      do throws(SystemError) {
        let count = try pipe.call { number in
          input.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
        }
        input = input.dropFirst(count)
      } catch {
        // EPIPE: the program may leave input unread.
        return error.code != EAGAIN
      }
    }
    return true
  }

  /// Reads the available bytes; true at the end of the stream.
  private static func drain(_ pipe: Descriptor, into capture: inout Capture) -> Bool {
    // A bounded number of reads, so that a program that prints forever does not starve the others.
    for _ in 0..<16 {
      do throws(SystemError) {
        let piece = try pipe.read(atMost: 16_384)
        if piece.isEmpty { return true }
        capture.append(piece)
      } catch {
        return error.code != EAGAIN
      }
    }
    return false
  }
}

/// How a child ended; nil while it runs.
func status(of child: pid_t, reap: Bool) -> CommandEnding? {
  var exitStatus: Int32 = 0
  var signal: Int32 = 0
  switch bgfetch_child_status(child, reap ? 1 : 0, &exitStatus, &signal) {
  case 0: return nil
  case 1: return exitStatus >= 0 ? .exited(exitStatus) : .signalled(signal)
  // Other code in this process reaped it. Its status is lost, and must not count as success.
  default: return .signalled(SIGKILL)
  }
}

/// The beginning or the end of a stream of bytes, at most `limit` of them.
struct Capture {
  enum Part {
    case beginning, end
  }

  private let part: Part
  private let limit: Int
  private(set) var bytes: [UInt8] = []
  /// Whether bytes were dropped.
  private(set) var isCut = false

  init(_ part: Part, limit: Int) {
    self.part = part
    self.limit = max(0, limit)
  }

  mutating func append(_ piece: [UInt8]) {
    bytes += piece
    let excess = bytes.count - limit
    guard excess > 0 else { return }
    isCut = true
    switch part {
    case .beginning: bytes.removeLast(excess)
    case .end: bytes.removeFirst(excess)
    }
  }
}

/// The process group of a command and its children, unless they start a session of their own.
///
/// Its number is the leader's. No other process can get it while the leader is not reaped, so signals reach only
/// this group.
struct ProcessGroup: Sendable {
  let leader: pid_t

  /// Asks every process to end, and continues stopped ones so that they receive the signal.
  func terminate() {
    // ESRCH means that no process is left.
    killpg(leader, SIGTERM)
    killpg(leader, SIGCONT)
  }

  func kill() {
    killpg(leader, SIGKILL)
  }
}
