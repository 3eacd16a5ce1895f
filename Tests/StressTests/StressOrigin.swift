import Calotype
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import PipelineSupport

extension LoopbackOrigin {
    static func answerAsPages() -> Handler {
        let never = OriginGate()
        return { request in
            guard let page = StressPage(path: request.path) else { return .status(400) }
            switch page.kind {
            case .redirect:
                return .redirect(to: StressPage(kind: .whole, index: page.index).path)
            case .missing: return .status(404)
            case .broken: return .status(500)
            case .garbage: return .body(Data("<html>no picture</html>".utf8), type: "text/html")
            case .empty: return .body(Data())
            case .whole, .chunked, .reset, .stall: return picture(page, request, never)
            }
        }
    }

    private static func picture(_ page: StressPage, _ request: OriginRequest, _ never: OriginGate)
        -> OriginResponse
    {
        let credentials = request[header: "authorization"]
        let tag = page.entityTag(credentials)
        let body = page.body(credentials)
        var response: OriginResponse =
            if request[header: "if-none-match"] == tag {
                OriginResponse(status: 304)
            } else {
                switch page.kind {
                case .chunked: .chunked([body.prefix(9_000), body.dropFirst(9_000)])
                case .reset: .body(body, resetAfter: 9_000)
                case .stall:
                    OriginResponse(
                        framing: .announced(body.count),
                        steps: [.bytes(body.prefix(9_000)), .wait(never)]
                    )
                default: .body(body)
                }
            }
        response.headers += [OriginField("ETag", tag), OriginField("Cache-Control", "max-age=0")]
        return response
    }
}
