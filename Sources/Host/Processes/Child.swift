// One running command: its process, its pipes and its bookkeeping. It lives on the loop's thread alone.

import CLinux
import Glibc

/// A command that was started.
struct Child {
  let group: ProcessGroup
  /// Becomes readable when the leader ends; nil where the system has no pidfd_open(2).
  let handle: Descriptor?
  let finish: @Sendable (CommandResult) -> Void
  private(set) var inputPipe: Descriptor?
  private(set) var outputPipe: Descriptor?
  private(set) var errorPipe: Descriptor?
  /// How the leader ended, nil while it runs.
  private(set) var ending: CommandEnding?
  var isCancelled = false
  private var input: ArraySlice<UInt8>
  private var output: Capture
  private var errors: Capture
  private var supervision: Supervision

  /// Starts a command.
  init(
    _ command: Command, at now: Int64, finish: @escaping @Sendable (CommandResult) -> Void
  ) throws(StartFailure) {
    let pipes: (input: Pipe?, output: Pipe, errors: Pipe)
    do throws(SystemError) {
      pipes = (command.input.isEmpty ? nil : try Pipe(), try Pipe(), try Pipe())
      try pipes.input?.writing.stopWaiting()
      try pipes.output.reading.stopWaiting()
      try pipes.errors.reading.stopWaiting()
    } catch {
      throw .system(error)
    }
    let streams = ChildStreams(
      input: pipes.input?.reading, output: pipes.output.writing, errors: pipes.errors.writing)
    let leader = try spawn(command, streams)
    group = ProcessGroup(leader: leader)
    let descriptor = bgfetch_process_descriptor(leader)
    handle = descriptor >= 0 ? Descriptor(owning: descriptor) : nil
    self.finish = finish
    inputPipe = pipes.input?.writing
    outputPipe = pipes.output.reading
    errorPipe = pipes.errors.reading
    input = command.input[...]
    output = Capture(.beginning, limit: command.outputLimit)
    errors = Capture(.end, limit: command.errorLimit)
    supervision = Supervision(startedAt: now, limit: command.limit, grace: command.grace)
  }

  /// What there is to tell of the command now.
  func result(_ ending: CommandEnding) -> CommandResult {
    CommandResult(ending: ending, output: output.bytes, isOutputCut: output.isCut, errorTail: errors.bytes)
  }

  /// Moves the bytes that can be moved without waiting.
  mutating func exchange() {
    write()
    if let pipe = outputPipe, Self.drain(pipe, into: &output) { outputPipe = nil }
    if let pipe = errorPipe, Self.drain(pipe, into: &errors) { errorPipe = nil }
  }

  /// Looks whether the leader has ended; it stays a zombie, so that its group's number stays ours.
  mutating func look() {
    if ending == nil { ending = status(of: group.leader, reap: false) }
  }

  /// The next step of its supervision.
  mutating func step(at now: Int64) -> Supervision.Step? {
    let facts = Supervision.Facts(
      leader: ending, isOutputOpen: outputPipe != nil || errorPipe != nil, isCancelled: isCancelled)
    return supervision.step(at: now, facts, groupLives: group.hasLivingMembers)
  }

  /// When it has to be looked at though nothing happened; nil is never.
  func nextLook(after now: Int64) -> Int64? {
    // Without a handle the leader's end has to be looked for.
    let poll = handle == nil && ending == nil ? now + Supervision.look : nil
    guard let next = supervision.nextLook(after: now) else { return poll }
    return min(next, poll ?? next)
  }

  private mutating func write() {
    while let pipe = inputPipe {
      guard !input.isEmpty else {
        inputPipe = nil
        return
      }
      do throws(SystemError) {
        let count = try pipe.call { number in
          input.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
        }
        input = input.dropFirst(count)
      } catch {
        if error.code == EAGAIN { return }
        // EPIPE: the program does not want to read it all, which is its right.
        inputPipe = nil
      }
    }
  }

  /// Reads what is there; true at the end of the stream.
  private static func drain(_ pipe: Descriptor, into capture: inout Capture) -> Bool {
    // A bounded number of pieces, so that one that prints for ever does not keep the loop to itself.
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

/// How a child ended, nil if it has not yet.
func status(of child: pid_t, reap: Bool) -> CommandEnding? {
  var exitStatus: Int32 = 0
  var signal: Int32 = 0
  switch bgfetch_child_status(child, reap ? 1 : 0, &exitStatus, &signal) {
  case 0: return nil
  case 1: return exitStatus >= 0 ? .exited(exitStatus) : .signalled(signal)
  // Somebody else in this process reaped it; how it ended is lost, and success must not be made up.
  default: return .signalled(SIGKILL)
  }
}
