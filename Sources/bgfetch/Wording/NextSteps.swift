// What to do once there is a first configuration.

/// The lines that tell a person what was written and how to go on.
///
/// - Parameters:
///   - file: the configuration, absolute.
///   - hook: the hook in it that works.
///   - program: the path of this program, for cron.
///   - isStandard: whether the file is found without being named.
/// - Returns: what to print.
func nextSteps(wrote file: String, hook: String, program: String, isStandard: Bool) -> [String] {
  let named = isStandard ? "" : " --config \(shellWord(file))"
  var lines = ["wrote \(file): Debian's news, and the hook \(hook)", "", "Try it:"]
  lines += table([
    ["  bgfetch check\(named)", "says what is wrong with it, if anything is"],
    ["  bgfetch run -v\(named)", "fetches what is due; what is there already is no news"],
    ["  bgfetch hooks test \(hook)\(named)", "shows what a message looks like"],
  ])
  lines += ["", "Wake it every five minutes, with a line for crontab -e:"]
  lines.append("  */5 * * * * \(shellWord(program)) run --cause timer -q\(named)")
  if isStandard {
    lines += [
      "or with systemd, where the units are installed:", "  systemctl --user enable --now bgfetch.timer",
    ]
  }
  return lines
}

/// A path as one word of a shell's command line.
private func shellWord(_ path: String) -> String {
  let isPlain = path.utf8.allSatisfy { byte in
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "/._-+,:@".utf8.contains(byte)
  }
  return isPlain ? path : "'" + path.replacing("'", with: "'\\''") + "'"
}
