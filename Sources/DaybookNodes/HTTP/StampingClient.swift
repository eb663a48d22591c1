package import DaybookCrypto
package import DaybookEncoding

/// A client of a time stamp authority over HTTP (RFC 3161, section 3.4).
package struct StampingClient: Sendable {
    /// 5 seconds to connect, 15 in all, and the bytes of the longest answer that is read.
    package static let limits = HTTPLimits(
        totalMilliseconds: 15_000, answerBytes: TimeStampToken.mostBytes)

    private let client: HTTPClient

    /// A client of the authority at a URL, which the first request connects to.
    package init(url: String, limits: HTTPLimits = limits) {
        client = HTTPClient(HTTPTarget(url: url), limits: limits)
    }

    /// Sends a request and returns the answer's bytes, which nobody has read yet.
    package func answer(to request: TimeStampRequest) async throws(ChainFailure) -> Bytes {
        let answer: HTTPResponse
        do throws(HTTPFailure) {
            answer = try await client.post(
                request.bytes, contentType: TimeStampRequest.mediaType)
        } catch {
            throw ChainFailure(error)
        }
        let code = answer.status
        switch code {
        case 200: break
        case 300..<400: throw ChainFailure(.redirect, "the server sends us elsewhere (\(code))")
        case 404, 405: throw ChainFailure(.wrongPath, "the server stamps nothing here (\(code))")
        default: throw ChainFailure(.refused, "the server refuses (\(code))")
        }
        // Parameters may follow a semicolon.
        let type = answer.contentType?.split(separator: ";").first?.lowercased() ?? ""
        guard Text.trimmed(Bytes(type.utf8)) == Bytes(TimeStampRequest.answerType.utf8) else {
            throw ChainFailure(.invalidAnswer, "the server's answer is no time stamp")
        }
        return answer.body
    }
}
