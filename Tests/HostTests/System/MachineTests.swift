import Glibc
import Testing

@testable import Host

/// Facts about the machine.
@Suite struct MachineTests {
  @Test func `the machine has one identity`() {
    #expect(!Machine.identity().isEmpty)
    #expect(Machine.identity() == Machine.identity())
    #expect(!Machine.identity().contains("\n"))
  }

  @Test func `the home directory is the environment's`() {
    #expect(Machine.homeDirectory(environment: ["HOME": "/home/me"]) == "/home/me")
  }

  @Test(arguments: [[:], ["HOME": ""], ["HOME": "relative"]])
  func `without one in the environment it is the password database's`(environment: [String: String]) {
    #expect(Machine.homeDirectory(environment: environment) == Account(user: geteuid())?.home)
  }

  @Test func `a user nobody knows has no account`() {
    #expect(Account(user: 3_999_999_999) == nil)
    #expect(Account(user: 0)?.name == "root")
  }

  @Test func `the environment is the process's own`() {
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
