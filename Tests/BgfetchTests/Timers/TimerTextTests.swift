// The period of a timer and its command, as systemd and cron write them.

import Core
import Testing

@testable import bgfetch

@Suite struct WakePeriodTests {
  @Test(arguments: [
    ("1m", "*:0/1", "* * * * *"), ("5m", "*:0/5", "*/5 * * * *"), ("30m", "*:0/30", "*/30 * * * *"),
    ("60m", "hourly", "0 * * * *"), ("1h", "hourly", "0 * * * *"), ("6h", "0/6:00", "0 */6 * * *"),
    ("1d", "daily", "0 0 * * *"),
  ])
  func `a period is written for systemd and for cron`(text: String, calendar: String, fields: String) throws {
    let period = try #require(Interval(text: text).flatMap(WakePeriod.init))

    #expect(period.calendar == calendar)
    #expect(period.cronFields == fields)
  }

  @Test(arguments: ["0s", "30s", "90s", "7m", "45m", "90m", "5h", "25h", "2d"])
  func `a period that divides neither an hour nor a day is refused`(text: String) throws {
    #expect(WakePeriod(try #require(Interval(text: text))) == nil)
  }
}

@Suite struct UnitTextTests {
  private let service = "# A service\n[Service]\nExecStart=/usr/local/bin/bgfetch run --watch\n"

  @Test func `a unit starts this program, and says who wrote it`() {
    let text = unitText(service, starting: TimedProgram(path: "/opt/bgfetch"), every: nil)

    #expect(text == "\(unitMark)\n# A service\n[Service]\nExecStart=/opt/bgfetch run --watch\n")
    #expect(UnitFile(path: "/u", text: text).isOwn)
    #expect(!UnitFile(path: "/u", text: service).isOwn)
  }

  @Test func `the configuration is an option, escaped for systemd`() {
    let program = TimedProgram(path: "/home/my self/bgfetch", configuration: "/c/100%/$x\"\\")

    let text = unitText(service, starting: program, every: nil)

    #expect(
      text.contains(
        #"ExecStart="/home/my self/bgfetch" run --watch --config "/c/100%%/$$x\"\\""#))
  }

  @Test(arguments: [
    ("/home/my self/b", #""/home/my self/b" run"#), ("/50%/b", #""/50%%/b" run"#),
    ("/é;=/b", #""/é;=/b" run"#),
  ])
  func `the path of a program is quoted for systemd`(path: String, start: String) {
    let text = unitText(service, starting: TimedProgram(path: path), every: nil)

    #expect(text.contains("\nExecStart=\(start) --watch\n"), "\(text)")
  }

  @Test(arguments: ["/home/o'brien/b", #"/a"b/c"#, #"/a\b/c"#, "/a$HOME/b", "/a\nb"])
  func `a program whose path systemd does not take is refused`(path: String) {
    #expect(TimedProgram(path: path).unwritablePath == path)
  }

  @Test func `only a timer has a period`() throws {
    let period = WakePeriod(.minutes(15))

    let timer = unitText("[Timer]\nOnCalendar=*:0/5\n", starting: TimedProgram(path: "/p"), every: period)

    #expect(timer.hasSuffix("[Timer]\nOnCalendar=*:0/15\n"))
  }
}

@Suite struct CronLineTests {
  @Test func `words are quoted for the shell, and percent signs for cron`() {
    let program = TimedProgram(path: "/my self/50%/bgfetch", configuration: "/it's/c.yaml")

    #expect(
      cronLine(starting: program, every: nil)
        == #"*/5 * * * * '/my self/50'\%'/bgfetch' run --cause timer -q --config '/it'\''s/c.yaml'"#)
  }

  @Test func `a mark of cron or systemd counts also before a combining mark`() {
    let program = TimedProgram(path: "/a%\u{301}/b", configuration: "/$\u{301}/\"\u{301}/\\\u{301}/c")
    let unit = unitText("ExecStart=/usr/local/bin/bgfetch run\n", starting: program, every: nil)

    #expect(cronLine(starting: program, every: nil).contains("/a'\\%'\u{301}/"))
    #expect(
      unit.utf8.elementsEqual(
        "\(unitMark)\nExecStart=\"/a%%\u{301}/b\" run --config \"/$$\u{301}/\\\"\u{301}/\\\\\u{301}/c\"\n"
          .utf8))
  }
}
