// Connections without TLS, so that one can be looked at before it carries another request.

internal import CCurl

/// Which socket a connection without TLS has; it lives on the loop's thread alone, longer than every connection.
///
/// libcurl keeps a connection whose answer had more bytes than its `Content-Length` told, and takes the surplus for the
/// answer to the next request, which may be another feed's (seen in 7.88; since 8.0 it looks itself). No server may send
/// anything before it is asked (RFC 9112 section 9.3.2), so that what waits there is not the answer. Where TLS lies
/// between, bytes that wait may be a part of it or of HTTP/2.
final class PlainConnections {
  /// Both ends of a connection, which no other has at the same time.
  struct Ends: Hashable {
    var server: String
    var serverPort: Int32
    var local: String
    var localPort: Int32
  }

  private var sockets: [Ends: curl_socket_t] = [:]
  private var ends: [curl_socket_t: Ends] = [:]

  /// Notes the socket of a new connection; it is one of those that were made for it.
  func add(_ ends: Ends, oneOf made: [curl_socket_t]) {
    guard let socket = made.first(where: { bgfetch_curl_local_port($0) == ends.localPort }) else { return }
    sockets[ends] = socket
    self.ends[socket] = ends
  }

  /// Ends a connection that has bytes which nobody asked for; libcurl then sends the request over a new one, as it does
  /// where the server has closed the old one.
  func endIfSpoiled(_ ends: Ends) {
    guard let socket = sockets[ends], bgfetch_curl_has_unread(socket) else { return }
    bgfetch_curl_disconnect(socket)
  }

  /// Closes a socket, of whatever connection.
  func close(_ socket: curl_socket_t) {
    if let ends = ends.removeValue(forKey: socket) { sockets[ends] = nil }
    bgfetch_curl_close_socket(socket)
  }
}
