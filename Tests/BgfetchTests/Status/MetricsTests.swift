// The text format of metrics.

import Testing

@testable import bgfetch

@Suite struct MetricsTests {
  @Test func `values of labels are escaped`() {
    var metrics = Metrics()
    metrics.add("deliveries_waiting", "Help.", [([("hook", "a\"b\\c\nd")], 1)])
    metrics.add("nothing", "Help.", [])
    metrics.add("database_bytes", "Help.", 5)

    #expect(
      metrics.text == #"""
        # HELP bgfetch_deliveries_waiting Help.
        # TYPE bgfetch_deliveries_waiting gauge
        bgfetch_deliveries_waiting{hook="a\"b\\c\nd"} 1
        # HELP bgfetch_database_bytes Help.
        # TYPE bgfetch_database_bytes gauge
        bgfetch_database_bytes 5

        """#)
  }
}
