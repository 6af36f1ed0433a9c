// One running command: its process group, its pipes and the output that is kept.

import CLinux
import Core
import Glibc

/// A running command; it belongs to the thread of ProcessLoop.
struct Child {
  let group: ProcessGroup
  /// Becomes readable when the leader ends; nil if the system has no pidfd_open(2) (before Linux 5.3).
  let handle: Descriptor?
  let finish: @Sendable (CommandResult) -> Void
  private(set) var inputPipe: Descriptor?
  private(set) var outputPipe: Descriptor?
  private(set) var errorPipe: Descriptor?
  /// How the leader ended, nil while it runs.
  private(set) var ending: CommandEnding?
  var isCancelled = false
  private let closesOutputAtLimit: Bool
  private let mayOutlive: Bool
  private var input: ArraySlice<UInt8>
  private var output: Capture
  private var errors: Capture
  private var supervision: Supervision

  init(
    _ command: Command, at now: Int64, finish: @escaping @Sendable (CommandResult) -> Void
  ) throws(StartFailure) {
    let pipes = try starting { () throws(SystemError) in
      let pipes = (
        input: command.input.isEmpty ? nil : try Pipe(), output: try Pipe(), errors: try Pipe()
      )
      try pipes.input?.writing.stopWaiting()
      try pipes.output.reading.stopWaiting()
      try pipes.errors.reading.stopWaiting()
      return pipes
    }
    let streams = ChildStreams(
      input: pipes.input?.reading, output: pipes.output.writing, errors: pipes.errors.writing)
    // Input that fits into the pipe is there before the program starts: a kill of this process does not cut it.
    var input = command.input[...]
    let isWritten = pipes.input.map { Self.fill($0.writing, from: &input) } ?? true
    let leader = try spawn(command, streams)
    group = ProcessGroup(leader: leader)
    let descriptor = bgfetch_process_descriptor(leader)
    handle = descriptor >= 0 ? Descriptor(owning: descriptor) : nil
    self.finish = finish
    inputPipe = isWritten ? nil : pipes.input?.writing
    outputPipe = pipes.output.reading
    errorPipe = pipes.errors.reading
    closesOutputAtLimit = command.closesOutputAtLimit
    mayOutlive = command.mayOutlive
    self.input = input
    output = Capture(.beginning, limit: command.outputLimit)
    errors = Capture(.end, limit: command.errorLimit)
    supervision = Supervision(startedAt: now, limit: command.limit, grace: command.grace)
  }

  /// The result if the command ended now.
  func result(_ ending: CommandEnding) -> CommandResult {
    CommandResult(ending: ending, output: output.bytes, isOutputCut: output.isCut, errorTail: errors.bytes)
  }

  /// Writes input and reads output as far as possible without waiting.
  mutating func exchange() {
    if let pipe = inputPipe, Self.fill(pipe, from: &input) { inputPipe = nil }
    if let pipe = outputPipe, Self.drain(pipe, into: &output) { outputPipe = nil }
    if output.isCut, closesOutputAtLimit { outputPipe = nil }
    if let pipe = errorPipe, Self.drain(pipe, into: &errors) { errorPipe = nil }
  }

  /// Checks whether the leader has ended.
  ///
  /// It stays a zombie, so that no other process gets the number of its group.
  mutating func checkLeader() {
    if ending == nil { ending = status(of: group.leader, reap: false) }
  }

  /// The next step of its supervision.
  mutating func step(at now: Int64) -> Supervision.Step? {
    let isLeft = mayOutlive && output.bytes.contains("\n")
    let facts = Supervision.Facts(
      leader: ending ?? (isLeft ? .exited(0) : nil),
      isOutputOpen: !isLeft && (outputPipe != nil || errorPipe != nil), isCancelled: isCancelled)
    return supervision.step(at: now, facts)
  }

  /// The time of the next check if nothing happens before; nil means never.
  func nextCheck(after now: Int64) -> Int64? {
    // Without a handle, only polling shows that the leader has ended.
    let poll = handle == nil && ending == nil ? now + Self.checkInterval : nil
    return [supervision.nextCheck, poll].compactMap(\.self).min()
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
struct ProcessGroup: Hashable, Sendable {
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
