// Which hooks are being run.

import Testing

@testable import Sync

@Suite struct BusyHooksTests {
  @Test func `a hook that is asked for while it is busy is looked at once more`() async {
    let hooks = BusyHooks()

    #expect(await hooks.begin("bar"))
    // Asked for after its task has looked for the last time.
    #expect(await !hooks.begin("bar"))
    #expect(await hooks.begin("desktop"))

    #expect(await hooks.mustContinue("bar"))
    #expect(await !hooks.mustContinue("bar"))
    #expect(await hooks.begin("bar"))
  }

  @Test func `waiting for idle hooks ends with the last busy one`() async {
    let hooks = BusyHooks()
    await hooks.waitUntilIdle()
    #expect(await hooks.begin("bar"))
    #expect(await hooks.begin("desktop"))

    async let idle: Void = hooks.waitUntilIdle()
    #expect(await !hooks.mustContinue("bar"))
    #expect(await !hooks.mustContinue("desktop"))

    await idle
    #expect(await hooks.begin("bar"))
  }
}
