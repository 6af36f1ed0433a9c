// The hooks that are running.

import Testing

@testable import Running

@Suite struct BusyHooksTests {
  @Test func `a hook requested while it is busy is checked once more`() async {
    let hooks = BusyHooks()

    #expect(await hooks.begin("bar"))
    // Requested after the last check of its task.
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
