import Calotype
import FoundationEssentials
import Glibc

/// Downloads images into a folder, eight at once; data that is not an image is not written.
///
/// `BatchDownload FOLDER URL…`, or with a URL on each line of standard input.
@main struct BatchDownload {
    static func main() async throws {
        guard CommandLine.arguments.count >= 2 else {
            print("usage: BatchDownload FOLDER [URL…]")
            exit(2)
        }
        let folder = URL(filePath: CommandLine.arguments[1])
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let given = CommandLine.arguments.dropFirst(2)
        let addresses =
            given.isEmpty ? AnySequence(sequence(state: ()) { _ in readLine() }) : AnySequence(given)

        let pipeline = ImagePipeline(
            ImagePipeline.Configuration(cache: ImageCache(stores: []), loader: RoutingLoader.standard())
        )
        var summary = Summary()
        await withTaskGroup(of: Result<Int, any Error>.self) { group in
            for (index, address) in addresses.enumerated() {
                // The ninth waits until one of the eight before it has ended.
                if index >= 8, let ended = await group.next() { summary.count(ended) }
                group.addTask {
                    do {
                        return .success(
                            try await download(address, number: index + 1, to: folder, by: pipeline)
                        )
                    } catch {
                        print("\(address): \(error)")
                        return .failure(error)
                    }
                }
            }
            for await ended in group { summary.count(ended) }
        }
        try await pipeline.shutdown()
        print("\(summary.imageCount) images, \(summary.byteCount) bytes, \(summary.failureCount) failures")
        if summary.failureCount > 0 { exit(1) }
    }

    /// Writes one image to the folder, named by its number and its format, and gives its bytes' count.
    static func download(
        _ address: String,
        number: Int,
        to folder: URL,
        by pipeline: ImagePipeline
    ) async throws -> Int {
        guard let request = ImageRequest(addressOrPath: address) else {
            throw FetchError(.invalidURL, detail: "neither a URL nor a path")
        }
        let image = try await pipeline.data(for: request)
        try image.data.write(to: folder.appending(path: "\(number).\(image.info.format.rawValue)"))
        return image.data.count
    }
}

struct Summary {
    var imageCount = 0
    var byteCount = 0
    var failureCount = 0

    mutating func count(_ ended: Result<Int, any Error>) {
        switch ended {
        case .success(let count): (imageCount, byteCount) = (imageCount + 1, byteCount + count)
        case .failure: failureCount += 1
        }
    }
}
