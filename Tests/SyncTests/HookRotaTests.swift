// Which hooks are being told.

import Testing

@testable import Sync

@Suite struct HookRotaTests {
  @Test func `what is wanted while a hook is told is not forgotten`() async {
    let rota = HookRota()

    #expect(await rota.begin("bar"))
    // Somebody has something to tell after the first one has looked for the last time.
    #expect(await !rota.begin("bar"))
    #expect(await rota.begin("desktop"))

    #expect(await rota.mustGoOn("bar"))
    #expect(await !rota.mustGoOn("bar"))
    #expect(await rota.begin("bar"))
  }
}
