// Which command lines of hooks are accepted, and which are refused because they would run text from feeds as code.

import Config
import Core
import Testing

@Suite struct HookCommandTests {
  private func problems(run: String, events: String = "notification, new-item") -> [String] {
    ConfigTests.problems(
      "hooks:\n  h:\n    events: [\(events)]\n    run: \(run)\nfeeds: {a: \"https://a.example/\"}")
  }

  @Test(arguments: [
    #"[sh, -c, 'notify-send -- "$BGFETCH_TITLE"']"#, #"[sh, -c, 'notify-send -- "$1"', sh, "{title}"]"#,
    #"[sh, -c, 'x "$@"', [sh, "{title}"], "{body}"]"#, #"[bash, /home/me/bin/announce, "{title}", "{body}"]"#,
    #"[python3, /home/me/notify.py, -c, "{title}"]"#, #"[python3, -m, announce, "{title}"]"#,
    #"[node, --eval=console.log(process.argv), "{title}"]"#, #"[env, LANG=C, notify-send, --, "{title}"]"#,
    #"[sudo, -u, me, notify-send, --, "{title}"]"#,
    #"[notify-send, --app-name=bgfetch, --print-id, [--replace-id, "{replaces}"], --, "{title}", "{body.markup}"]"#,
    #"[mail, -s, "{title}", root]"#, #"[curl, --data-binary, "title={title}", "https://ntfy.example/me"]"#,
    #"[systemd-run, --user, --setenv=BGFETCH_ITEM_LINK, --, sh, -c, 'exec yt-dlp -- "$BGFETCH_ITEM_LINK"']"#,
    #"[systemd-run, --user, --expand-environment=no, --, yt-dlp, --, "{item.link}"]"#,
    #"[logger, "new: {title}"]"#, #"[logger, -t, sh, --, "{title}"]"#, #"[logger, -t, ssh, --, "{title}"]"#,
    #"[xdg-open, "{item.link}"]"#, #"[sed, -i, "s/a/b/", /tmp/x]"#, #"[awk, -f, /home/me/x.awk, "{title}"]"#,
    #"[awk, -v, n=1, -F, ",", '$1 == n', "{title}"]"#,
    #"[logger, --, "{{literally}}", "{item.published:%Y-%m-%d %H:%M}"]"#, #"[play, 5, 2.50, yes, "~/x"]"#,
  ])
  func `a valid command line causes no message`(run: String) {
    #expect(problems(run: run) == [])
  }

  @Test(arguments: [
    #"[zsh, -ic, "{title}"]"#, #"[fish, --command, "{title}"]"#, #"[bash, -o, errexit, -c, "{title}"]"#,
    #"[bash, --norc, -c, "{title}"]"#, #"[sh, "-c{title}"]"#, #"[timeout, 5, sh, -c, "{title}"]"#,
    #"[xargs, sh, -c, "{title}"]"#, #"[docker, exec, box, sh, -c, "{title}"]"#,
    #"[systemd-run, --user, --, bash, -c, "{title}"]"#, #"[perl5.36, -E, "{title}"]"#,
    #"[ruby, -e, "{title}"]"#, #"[php, -r, "{title}"]"#, #"[node, -e, "{title}"]"#,
    #"[deno, eval, "{title}"]"#, #"[lua5.4, -e, "{title}"]"#, #"[sed, -e, "s/x/{title}/", f]"#,
    #"[gawk, "{title}"]"#, #"[ssh, host, "{title}"]"#, #"[perl, -e, "1", -e, "{title}"]"#,
    #"[sed, -n, -e, p, f, -e, "{title}"]"#, #"[awk, -v, n=1, "{title}"]"#, #"[watch, "{title}"]"#,
    #"[systemd-run, --user, --, sh, -c, 'exec x "$1"', sh, "{title}"]"#,
    #"[sudo, systemd-run, "--unit={title}", x]"#, #"[i3-msg, "exec notify-send {title}"]"#,
    #"[/usr/bin/python3, -I, x, -c, "{title}"]"#, #"[sudo, "sh", "{title}"]"#, #"[env, "-S", "x {title}"]"#,
  ])
  func `a placeholder in code is refused`(run: String) {
    #expect(problems(run: run).contains { $0.contains(" the text of {title}; ") })
  }

  @Test(arguments: [
    "[mail, me]", "[/usr/bin/mailx, -s, x, me]", "[s-nail, me]", "[sudo, mail.mailutils, me]", "[at, now]",
    "[batch]", "[sh]", "[bash, -s]", "[env, X=1, python3]", "[xargs, -I, x, sh, -c, x]",
    "[xargs, '-I{{}}', bash, -c, 'echo {{}}']", "[xargs, --replace, sh, -c, 'echo {{}}']", "[xargs, sh, -c]",
    "[xargs, -n, 1, sh]", "[xargs, ssh, host]",
    "[sudo, xargs, -0, sh, -c]", "[xargs, -d, \"\\n\", perl, -e]",
    "[xargs, '-I{{}}', ssh, host, 'echo {{}}']", "[xargs, su, -c]",
    "[xargs, '-I%', sed, 's/x/%/', f]", "[parallel, sh, -c]",
    "[parallel, bash, -c, 'echo {{}}']", "[python3, -]", "[bash, /dev/stdin]", "[awk, -f, /dev/stdin]",
    "[perl]", "[node, -]", "[ssh, host]", "[ssh, -p, 22, host, sh, -s]",
    "[docker, exec, -i, box, sh]", "[crontab, -]", "[sqlite3, /tmp/x.db]", "[psql, -X]",
    "[sh, -s, --, a]", "[bash, -es, a]", "[awk, -f, -]",
    "[strace, -f, sh]",
  ])
  func `text of a feed is refused as the input of a program that runs its input`(run: String) {
    #expect(
      problems(run: run + "\n    stdin: \"{title}\"").contains {
        $0.contains("its standard input")
      })
  }

  @Test(arguments: [
    "[xargs, notify-send, --]", "[xargs]", "[xargs, -n, 1]", "[xargs, -I, x, notify-send, --, x]",
    "[parallel, echo]", "[parallel, -j, 4, xdg-open, '{{}}']",
    "[ssh, host, 'cat >> news']", "[ssh, -p, 22, me@host, logger]", "[sh, /home/me/script]",
    "[sh, -c, 'cat >> /tmp/news']", "[sh, -c, 'xargs -I x notify-send -- x']", "[python3, /home/me/x.py, -]",
    "[find, /tmp, -exec, logger, ;]", "[env, -S, \"logger -s\"]", "[env, X=1, logger]",
    "[sh, -e, /home/me/script, -s]",
    "[awk, -f, /home/me/x.awk, -]",
    "[su, me, -c, /home/me/script]", "[sudo, -u, me, logger]", "[docker, run, -i, image, logger]",
  ])
  func `text of a feed is accepted as the input of a program that does not run it`(run: String) {
    #expect(problems(run: run + "\n    stdin: \"{title}\"") == [])
  }

  @Test func `a hook may use the placeholders of any of its events`() {
    #expect(
      problems(
        run: #"[logger, --, "{title}{item.title}{summary}"]"#, events: "notification, new-item, run-finished")
        == [])
  }

  @Test func `a warning does not keep a configuration from being used`() {
    let reading = reading(
      "hooks: {h: {events: [notification], run: [logger, \"{title}\"]}}\nfeeds: {a: \"https://a.example/\"}")

    #expect(reading.problems.map(\.isWarning) == [true])
    #expect(reading.settings != nil)
  }
}
