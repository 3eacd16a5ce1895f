import Calotype
import CalotypeCache
import CalotypeTesting
import FoundationEssentials
import PipelineSupport

/// A store that has no room for further entries once it is full.
struct FullByteStore: ForwardingByteStore {
    let base = FakeByteStore()
    let isFull = SharedState(false)

    func store(_ data: Data, forKey key: String, options: BlobOptions) async throws {
        guard !isFull.value else { throw DiskCacheError(.diskFull, detail: "full") }
        try await base.store(data, forKey: key, options: options)
    }
}
