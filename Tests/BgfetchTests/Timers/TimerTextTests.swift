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
    #expect(isOwnUnit(text))
    #expect(!isOwnUnit(service))
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
    ("/home/o'brien/b", #"/bin/sh -c 'exec "$$0" "$$@"' "/home/o'brien/b" run"#),
    (#"/a"b/c"#, #"/bin/sh -c 'exec "$$0" "$$@"' "/a\"b/c" run"#),
    (#"/a\b/c"#, #"/bin/sh -c 'exec "$$0" "$$@"' "/a\\b/c" run"#),
    ("/a$HOME/b", #"/bin/sh -c 'exec "$$0" "$$@"' "/a$$HOME/b" run"#),
  ])
  func `a shell starts a program whose path systemd does not take`(path: String, start: String) {
    let text = unitText(service, starting: TimedProgram(path: path), every: nil)

    #expect(text.contains("\nExecStart=\(start) --watch\n"), "\(text)")
  }

  @Test func `only a timer has a period`() throws {
    let period = WakePeriod(.minutes(15))

    let timer = unitText("[Timer]\nOnCalendar=*:0/5\n", starting: TimedProgram(path: "/p"), every: period)

    #expect(timer.hasSuffix("[Timer]\nOnCalendar=*:0/15\n"))
  }

  @Test(arguments: [
    ("ExecStart=/p run\n", "# another comment\nExecStart=/p run\nNice=5\n", true),
    ("ExecStart=/p run\n", "ExecStart=/q run\n", false), ("OnCalendar=*:0/5\n", "OnCalendar=*:0/5\n", true),
    ("OnCalendar=*:0/5\n", "OnCalendar=hourly\n", false), ("", "", false),
  ])
  func `units are the same if they start the same at the same moments`(
    one: String, other: String, isSame: Bool
  ) {
    #expect(unitsStartTheSame(one, other) == isSame)
  }
}

@Suite struct CronTableTests {
  private let program = TimedProgram(path: "/usr/bin/bgfetch")
  private let line = "*/5 * * * * /usr/bin/bgfetch run --cause timer -q # by bgfetch install-timer"

  @Test(arguments: ["", "# mine\n0 3 * * * backup\n"])
  func `a line is added once, replaced by another period, and only that line is removed`(before: String) {
    let after = CronTable(before).text(starting: program, every: nil)
    let hourly = CronTable(after).text(starting: program, every: WakePeriod(.hours(1)))

    #expect(after == before + line + "\n")
    #expect(CronTable(after).text(starting: program, every: nil) == after)
    #expect(hourly.hasPrefix(before + "0 * * * * "))
    #expect(hourly.split(separator: "\n").count == after.split(separator: "\n").count)
    #expect(CronTable(after).isMarked)
    #expect(!CronTable(before).isMarked)
    #expect(CronTable(after).text == before)
    #expect(CronTable("MAILTO=me").text(starting: program, every: nil) == "MAILTO=me\n" + line + "\n")
  }

  @Test(arguments: ["0 3 * * * backup\r\n", "# mine\n\u{301}0 3 * * * backup\n"])
  func `the lines of others stay, whatever their ends`(before: String) {
    let table = CronTable(before + line + "\n")

    #expect(table.isMarked)
    #expect(table.text.unicodeScalars.elementsEqual(before.unicodeScalars))
  }

  @Test func `words are quoted for the shell, and percent signs for cron`() {
    let program = TimedProgram(path: "/it's/50%/bgfetch")

    #expect(cronLine(starting: program, every: nil).hasPrefix(#"*/5 * * * * '/it'\''s/50'\%'/bgfetch' run "#))
  }

  @Test func `a mark of cron or systemd counts also before a combining mark`() {
    let program = TimedProgram(path: "/a%\u{301}/$\u{301}/\"\u{301}/\\\u{301}/b")
    let unit = unitText("ExecStart=/usr/local/bin/bgfetch run\n", starting: program, every: nil)

    #expect(cronLine(starting: program, every: nil).contains("/a'\\%'\u{301}/"))
    #expect(
      unit.utf8.elementsEqual(
        "\(unitMark)\nExecStart=/bin/sh -c 'exec \"$$0\" \"$$@\"' \"/a%%\u{301}/$$\u{301}/\\\"\u{301}/\\\\\u{301}/b\" run\n"
          .utf8))
  }

  @Test func `other lines that start runs are found, comments are not`() {
    let table = CronTable("# bgfetch run\n*/9 * * * * bgfetch run -q\n\(line)\n")

    #expect(table.otherRuns == ["*/9 * * * * bgfetch run -q"])
  }
}
