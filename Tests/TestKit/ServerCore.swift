// The sockets, threads and records of a scripted server. Its threads keep this alive and not the server, so that
// the server can go while they run.

internal import Glibc
internal import Synchronization

/// The state of a server.
struct ServerRecord: Sendable {
  var requests: [ReceivedRequest] = []
  var underWay = 0
  var mostAtOnce = 0
  var connections = 0
  var closed = 0
  var bytesSent = 0
  var bodyBytes: [String: Int] = [:]
}

final class ServerCore: Sendable {
  let port: Int
  let origin: String
  /// Opens when the server stops.
  let stopping = Gate()
  private let listener: Int32
  private let fallback: Route
  private let state = Mutex(State())

  private struct State: Sendable {
    var record = ServerRecord()
    var routes: [String: Route] = [:]
    var waiters: [Int: Waiter] = [:]
    var lastWaiter = 0
    var sockets: [Int: Int32] = [:]
    var acceptor: WorkerThread?
    var threads: [Int: WorkerThread] = [:]
    var ended: [WorkerThread] = []
    var isStopped = false
  }

  private struct Waiter: Sendable {
    var isReached: @Sendable (ServerRecord) -> Bool
    var continuation: CheckedContinuation<Bool, Never>
  }

  init(on address: String, port wanted: Int, answering: @escaping Route) throws(SocketProblem) {
    (listener, port) = try listen(on: address, port: wanted)
    origin = address.contains(":") ? "http://[\(address)]:\(port)" : "http://\(address):\(port)"
    fallback = answering
    let acceptor = WorkerThread { self.acceptConnections() }
    state.withLock { $0.acceptor = acceptor }
  }

  deinit { close(listener) }

  var record: ServerRecord { state.withLock { $0.record } }

  func route(_ path: String, _ route: @escaping Route) { state.withLock { $0.routes[path] = route } }

  func route(_ path: String, inTurn answers: [ScriptedAnswer]) {
    let turn = Turn()
    route(path) { _ in answers[min(turn.next(), answers.count - 1)] }
  }

  // MARK: Called by the connections

  /// Records a request and returns its response.
  func begin(_ request: ReceivedRequest) -> ScriptedAnswer {
    let route = change { state in
      state.record.requests.append(request)
      state.record.underWay += 1
      state.record.mostAtOnce = max(state.record.mostAtOnce, state.record.underWay)
      return state.routes[request.path]
    }
    return (route ?? fallback)(request)
  }

  /// Records the end of a response.
  func end() { change { $0.record.underWay -= 1 } }

  func count(sent: Int, body: Int, _ path: String) {
    change { state in
      state.record.bytesSent += sent
      if body > 0 { state.record.bodyBytes[path, default: 0] += body }
    }
  }

  // MARK: Waiting

  /// Returns when a condition is true, or the task is cancelled; the test fails if neither happens within `longestWait`.
  func until(_ what: String, _ isReached: @escaping @Sendable (ServerRecord) -> Bool) async {
    let number = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    let deadline = Task {
      try await Task.sleep(for: longestWait)
      giveUp(number)
    }
    defer { deadline.cancel() }
    let isReached = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          guard !isReached(state.record), !Task.isCancelled else { return true }
          state.waiters[number] = Waiter(isReached: isReached, continuation: continuation)
          return false
        }
        if isOver { continuation.resume(returning: true) }
      }
    } onCancel: {
      giveUp(number)
    }
    if !isReached, !Task.isCancelled {
      let requests = record.requests.map { $0.method + " " + $0.path }
      recordWaitInVain(for: "\(what); there were \(record.connections) connections and \(requests)")
    }
  }

  private func giveUp(_ waiter: Int) {
    state.withLock { $0.waiters.removeValue(forKey: waiter) }?.continuation.resume(returning: false)
  }

  /// Changes the state, then wakes the waiters whose condition has become true.
  @discardableResult
  private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
    let (value, reached) = state.withLock { state in
      let value = body(&state)
      let record = state.record
      let reached = state.waiters.filter { $0.value.isReached(record) }
      for number in reached.keys { state.waiters[number] = nil }
      return (value, Array(reached.values))
    }
    for waiter in reached { waiter.continuation.resume(returning: true) }
    return value
  }

  // MARK: Threads

  private func acceptConnections() {
    while true {
      let socket = accept(listener, nil, nil)
      if socket < 0 {
        if errno == EINTR || errno == ECONNABORTED { continue }
        return
      }
      _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
      var yes: Int32 = 1
      setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
      start(socket)
    }
  }

  private func start(_ socket: Int32) {
    let (number, ended) = change { state -> (Int?, [WorkerThread]) in
      guard !state.isStopped else { return (nil, []) }
      state.record.connections += 1
      state.sockets[state.record.connections] = socket
      defer { state.ended = [] }
      return (state.record.connections, state.ended)
    }
    for thread in ended { thread.join() }
    guard let number else {
      close(socket)
      return
    }
    let thread = WorkerThread {
      var connection = ServerConnection(socket: socket, number: number, core: self)
      connection.serve()
      self.finish(number, socket)
    }
    state.withLock { state in
      // A connection may have ended before its thread was recorded.
      if state.sockets[number] == nil { state.ended.append(thread) } else { state.threads[number] = thread }
    }
  }

  private func finish(_ number: Int, _ socket: Int32) {
    change { state in
      close(socket)
      state.sockets[number] = nil
      state.record.closed += 1
      if let thread = state.threads.removeValue(forKey: number) { state.ended.append(thread) }
    }
  }

  /// Ends everything; the second call does nothing.
  func stop() {
    let acceptor = state.withLock { state -> WorkerThread? in
      guard !state.isStopped else { return nil }
      state.isStopped = true
      state.routes = [:]
      for socket in state.sockets.values { shutdown(socket, Int32(SHUT_RDWR)) }
      return state.acceptor
    }
    guard let acceptor else { return }
    stopping.open()
    shutdown(listener, Int32(SHUT_RDWR))
    acceptor.join()
    let threads = state.withLock { state in
      defer { (state.threads, state.ended) = ([:], []) }
      return Array(state.threads.values) + state.ended
    }
    for thread in threads { thread.join() }
  }
}

/// Counts the calls of a route.
private final class Turn: Sendable {
  private let count = Atomic(0)

  func next() -> Int { count.add(1, ordering: .relaxed).oldValue }
}
