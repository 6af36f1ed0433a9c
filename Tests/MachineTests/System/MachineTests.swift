// The machine, its clock and its threads.

import Core
import Glibc
import Synchronization
import TestKit
import Testing

@testable import Machine

/// Facts about the machine.
@Suite struct MachineTests {
  @Test func `the machine has one identity`() {
    #expect(!Machine.identity().isEmpty)
    #expect(Machine.identity() == Machine.identity())
    #expect(!Machine.identity().contains("\n"))
  }

  @Test func `the arguments are those of the process`() {
    #expect(Machine.arguments == CommandLine.arguments)
  }

  @Test func `the home directory is the environment's`() {
    #expect(Machine.homeDirectory(environment: ["HOME": "/home/me"]) == "/home/me")
  }

  @Test(arguments: [[:], ["HOME": ""], ["HOME": "relative"]])
  func `without HOME the home directory is that of the password database`(environment: [String: String]) {
    #expect(Machine.homeDirectory(environment: environment) == Machine.homeDirectory(ofUser: geteuid()))
  }

  @Test func `an unknown user has no home directory`() {
    #expect(Machine.homeDirectory(ofUser: 3_999_999_999) == nil)
    #expect(Machine.homeDirectory(ofUser: 0)?.hasPrefix("/") == true)
  }

  @Test func `the environment is that of the process`() {
    setenv("BGFETCH_TEST_VARIABLE", "a=b", 1)

    #expect(ProcessEnvironment.current()["BGFETCH_TEST_VARIABLE"] == "a=b")
  }

  @Test func `this machine's own address is listed as loopback`() throws {
    let addresses = try #require(interfaceAddresses())

    #expect(addresses.contains { $0.isLoopback && $0.bytes == [127, 0, 0, 1] && !$0.isUsable })
  }

  @Test(arguments: [
    ([192, 168, 1, 2], true), ([10, 0, 0, 1], true), ([169, 254, 3, 4], false),
    ([0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], true),
    ([0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], false),
    ([0xFD, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], true),
  ])
  func `an address leads to other machines unless it is link-local`(bytes: [UInt8], isUsable: Bool) {
    #expect(InterfaceAddress(isRunning: true, isLoopback: false, bytes: bytes).isUsable == isUsable)
  }

  @Test func `an interface that is down or loopback leads nowhere`() {
    #expect(!InterfaceAddress(isRunning: false, isLoopback: false, bytes: [192, 168, 1, 2]).isUsable)
    #expect(!InterfaceAddress(isRunning: true, isLoopback: true, bytes: [192, 168, 1, 2]).isUsable)
  }
}

/// The clock, and the moment that replaces it in tests.
@Suite struct WallClockTests {
  @Test func `the clock shows the system's time`() throws {
    let before = Int64(time(nil))
    let now = try WallClock(environment: [:]).now().secondsSince1970

    #expect((before...Int64(time(nil))).contains(now))
  }

  @Test func `a frozen clock always shows its moment`() throws {
    let clock = try WallClock(environment: ["BGFETCH_NOW": "2026-11-21T08:30:00Z"])

    #expect(clock.now() == Instant(secondsSince1970: 1_795_249_800))
    #expect(clock == WallClock(frozenAt: clock.now()))
  }

  @Test func `a clock is set to that of another machine, but not a frozen one`() {
    let (clock, frozen) = (WallClock(), WallClock(frozenAt: Instant(secondsSince1970: 1000)))
    let other = Timestamp(millisecondsSince1970: clock.timestamp().millisecondsSince1970 - 86_400_000)

    let (before, after) = (clock.timestamp(), clock.timestamp())
    let set = clock.set(to: other, between: before, and: after)

    let behind = clock.timestamp().millisecondsSince1970 - set.timestamp().millisecondsSince1970
    // The time that the test takes goes by meanwhile.
    #expect((86_370_000...86_430_000).contains(behind), "\(behind)")
    #expect((86_370...86_430).contains(clock.now().secondsSince1970 - set.now().secondsSince1970))
    #expect(frozen.set(to: other, between: before, and: after) == frozen)
  }

  @Test func `an empty BGFETCH_NOW does not count`() throws {
    #expect(try WallClock(environment: ["BGFETCH_NOW": ""]) == WallClock())
  }

  @Test(arguments: ["now", "2026-11-21", "1795249800"])
  func `a moment in another form is reported`(text: String) {
    #expect(throws: MalformedClock(text: text)) {
      try WallClock(environment: ["BGFETCH_NOW": text])
    }
  }

  @Test func `milliseconds never go back`() async throws {
    let before = WallClock.monotonicMilliseconds()
    try await WallClock.sleep(for: .milliseconds(2))

    #expect(WallClock.monotonicMilliseconds() > before)
  }

  @Test func `a cancelled sleep ends at once`() async {
    let sleeping = Task { try await WallClock.sleep(for: .seconds(3600)) }

    sleeping.cancel()

    await #expect(throws: CancellationError.self) { try await sleeping.value }
  }
}

@Suite struct OwnThreadTests {
  @Test func `blocking work waits for no other work, and each caller gets its own result`() async {
    // In the second round some threads are idle, but fewer than are needed.
    for count in [8, 40] {
      let begun = Counter()
      let numbers = await withTaskGroup(of: Int.self) { group in
        for number in 0..<count {
          group.addTask {
            await onOwnThread {
              begun.number.add(1, ordering: .relaxed)
              // No thread continues before all have begun.
              while begun.number.load(ordering: .relaxed) < count { sched_yield() }
              return number
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }

      #expect(numbers.sorted() == Array(0..<count))
    }
  }
}

@Suite struct AsideTests {
  @Test func `work on another thread gives its outcome`() async {
    #expect(await workAside(atMost: .seconds(3600), patience: .zero) { 7 } == 7)
  }

  @Test func `work that goes on beyond its limit is left`() async {
    let gate = Gate()

    #expect(await workAside(atMost: .milliseconds(1), patience: .milliseconds(1)) { gate.pass() } == nil)
    gate.open()
  }

  @Test func `a cancelled task leaves its work`() async {
    let (begun, gate) = (OneShot<Void>(), Gate())
    let waiting = Task {
      await workAside(patience: .milliseconds(1)) {
        begun.settle(())
        gate.pass()
      }
    }
    await begun.value()

    waiting.cancel()

    #expect(await waiting.value == nil)
    gate.open()
  }

  @Test func `work that ends soon after a cancellation is not left`() async {
    let waiting = Task { await workAside(patience: .seconds(3600)) { 7 } }

    waiting.cancel()

    #expect(await waiting.value == 7)
  }
}

/// A number that threads count on.
private final class Counter: Sendable {
  let number = Atomic(0)
}
