import CalotypeServer
import Testing

/// The error code that a parser throws, or `nil`.
func refusal(_ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) -> RequestError
    .Code?
{
    do {
        try body()
        return nil
    } catch let error as RequestError {
        return error.code
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
        return nil
    }
}

let examplePath = "plain/http://src.test/photo.jpg"
