import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import CalotypeLoading

/// Names that wait for the lookups of other names.
@Suite(.gated) struct LookupBlameTests {
    @Test func `a name that is not looked up in time because of others is no failure of its origin`()
        async throws
    {
        let (resolver, time) = (GatedResolver(), MovedTime())
        // Seven lookups of names that are not known, and one more of others.
        let lookups = resolver.lookups(LookupLimits(runningCount: 8), time)
        let dead = (0..<7).map { number in
            Task.immediate { try await lookups.addresses(of: "dead\(number).test") }
        }
        await resolver.begun(7)
        var surroundings = HTTPDataLoader.Surroundings()
        surroundings.resolve = { try await lookups.addresses(of: $0) }
        var configuration = HTTPDataLoader.Configuration()
        configuration.connectTimeout = .milliseconds(50)
        configuration.addressPolicy = .publicOnly
        let loader = HTTPDataLoader(configuration, surroundings)
        let request = FetchRequest(url: try #require(URL(string: "https://healthy.test/a.png")))
        let error = await failure { try await loader.response(for: request) }
        #expect(!resolver.names.contains("healthy.test"))
        #expect(error?.code == .overloaded && error?.isOriginFailure == false, "\(String(describing: error))")
        for task in dead { task.cancel() }
        for task in dead { _ = await task.result }
        await loader.shutdown()
    }
}
