// A mail server for tests: takes mail by SMTP (RFC 5321) on a port of this machine and keeps it.

import Foundation
import Glibc
import Synchronization

/// A server that accepts every mail, one connection after the other, until it is deinitialised.
final class MailServer: Sendable {
  let port: Int
  private let listener: Int32
  private let mails: Mails

  private final class Mails: Sendable {
    let all = Mutex<[String]>([])
  }

  /// The error of a socket that cannot be opened.
  struct NoSocket: Error {}

  init() throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let fd = listener
    let isOpen = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(fd, address, length) == 0 && listen(fd, 8) == 0 && getsockname(fd, address, &length) == 0
      }
    }
    guard listener >= 0, isOpen else { throw NoSocket() }
    port = Int(UInt16(bigEndian: address.sin_port))
    mails = Mails()
    Thread.detachNewThread { [listener, mails] in
      while case let connection = accept(listener, nil, nil), connection >= 0 {
        Self.serve(connection) { mail in mails.all.withLock { $0.append(mail) } }
        close(connection)
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// The mails so far: the envelope's commands, an empty line, and the content as it came, dots unstuffed.
  var received: [String] { mails.all.withLock { $0 } }

  private static func serve(_ connection: Int32, take: (String) -> Void) {
    // A client that stops talking must not block the thread.
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    func say(_ text: String) {
      _ = send(connection, text + "\r\n", text.utf8.count + 2, Int32(MSG_NOSIGNAL))
    }
    var envelope = ""
    var unread: [UInt8] = []
    func line() -> String? {
      while true {
        if let end = unread.firstIndex(of: 10) {
          defer { unread.removeSubrange(...end) }
          return String(decoding: unread[..<end], as: UTF8.self).replacing("\r", with: "")
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(connection, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        unread += buffer[..<count]
      }
    }
    say("220 mail.example")
    while let command = line() {
      switch command.prefix(4).uppercased() {
      case "DATA":
        say("354 go on")
        var content = ""
        while let line = line(), line != "." {
          content += (line.hasPrefix(".") ? String(line.dropFirst()) : line) + "\n"
        }
        take(envelope + "\n" + content)
        envelope = ""
        say("250 taken")
      case "QUIT":
        say("221 bye")
        return
      default:
        if command.contains(":") { envelope += command + "\n" }
        say("250 mail.example")
      }
    }
  }
}
