// Many fetches, cancelled ones, and the end of the loop.

import CLate
import Core
import Glibc
import TestKit
import Testing

@testable import Machine

@Suite(.unlessItHangs) struct LifecycleTests {
  @Test func `five hundred fetches end, no more at once than there are connections`() async throws {
    let server = try ScriptedServer { .document($0.target) }
    let loop = makeLoop(connections: 16)
    let requests = try (0..<500).map { try request(server.url("/\($0)")) }

    let bodies = await withTaskGroup { group in
      for request in requests { group.addTask { try? await loop.fetch(request).text } }
      return await group.reduce(into: Set<String?>()) { $0.insert($1) }
    }

    #expect(bodies == Set((0..<500).map { "/\($0)" }))
    #expect(server.mostAtOnce <= 16)
    #expect(server.connections < 500)
  }

  // A kernel that is short of buffers refuses the write that wakes the thread (ENOBUFS): 61 s passed without a byte.
  @Test func `a message to a thread that cannot be woken is found soon`() async {
    await #expect(processExitsWith: .exitCode(42)) {
      let server = try ScriptedServer { .document($0.target) }
      let loop = makeLoop()
      _ = try await loop.fetch(request(server.url("/first")))
      UnsafeMutablePointer(mutating: bgfetch_curl()).pointee.curl_multi_wakeup = { _ in CURLM_WAKEUP_FAILURE }
      let start = ContinuousClock.now

      _ = try await loop.fetch(request(server.url("/second")))

      exit(.now - start < .seconds(30) ? 42 : 1)
    }
  }

  @Test func `a cancelled fetch is suspended and its connection is given up`() async throws {
    let server = try ScriptedServer(["/": .body(.send([65]), .hold, framing: .declared(10))])
    let loop = makeLoop()
    let held = try request(server.url("/"))
    let task = Task { await loop.failure(held) }
    await server.received(1)

    task.cancel()

    #expect(await task.value == .suspended)
    await server.closed(1)
  }

  @Test func `a fetch that is cancelled before its turn is never sent`() async throws {
    let gate = Gate()
    let server = try ScriptedServer(["/first": .document("first").held(by: gate), "/last": .document("last")])
    let loop = makeLoop(connections: 1)
    let first = try request(server.url("/first"))
    let never = try request(server.url("/never"))
    let running = Task { await loop.outcome(first) }
    await server.received(1)
    let waiting = Task { await loop.failure(never) }

    waiting.cancel()
    #expect(await waiting.value == .suspended)
    gate.open()
    _ = await running.value
    _ = try await loop.fetch(request(server.url("/last")))

    #expect(server.requests.map(\.path) == ["/first", "/last"])
  }

  @Test func `a fetch of a cancelled task is not sent`() async throws {
    let server = try ScriptedServer(["/": .document("")])
    let loop = makeLoop()
    let request = try request(server.url("/"))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await loop.failure(request)
    }

    #expect(await task.value == .suspended)
    #expect(server.connections == 0)
  }

  @Test func `a loop that is released closes its connections`() async throws {
    let server = try ScriptedServer(["/": .document("")])

    try await { _ = try await makeLoop().fetch(request(server.url("/"))) }()

    await server.closed(1)
    #expect(server.connections == 1)
  }
}

@Suite struct ReplyTests {
  @Test func `a result that comes before the wait is delivered when the wait begins`() async {
    let reply = Reply()
    reply.finish(.failure(.suspended))

    let outcome = await reply.result.value { Issue.record("the wait has ended") }

    #expect(throws: FetchFailure.suspended) { try outcome.get() }
  }

  @Test func `only the first result counts`() async {
    let reply = Reply()

    let outcome = await reply.result.value {
      reply.finish(.failure(.offline))
      reply.finish(.failure(.suspended))
    }

    #expect(throws: FetchFailure.offline) { try outcome.get() }
  }
}
