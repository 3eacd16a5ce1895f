// What the snippets of the documents speak of without making it: `Scripts/snippets` compiles each with this.

import Calotype
import Foundation

var url: URL { missing() }
var urls: [URL] { missing() }
var request: ImageRequest {
    get { missing() }
    set {}
}
var pipeline: ImagePipeline { missing() }
var configuration: ImagePipeline.Configuration {
    get { missing() }
    set {}
}
var cache: ImageCache { missing() }
var disk: DiskCache { missing() }
var old: FolderByteStore { missing() }
var loader: any DataLoader { missing() }
var loaded: LoadedImage { missing() }
var image: Image { missing() }
var placeholder: Image { missing() }
var slot: ImageSlot { missing() }
@MainActor var view: View { missing() }
var side: PixelSize { missing() }
var data: Data { missing() }
var token: String { missing() }
var visitorText: String { missing() }
var tokens: Tokens { missing() }
var bar: Bar { missing() }

@MainActor final class View: @MainActor ImageTarget {
    func show(_ content: SlotContent, in slot: ImageSlot) {}
}

final class Bar {
    func set(_ fraction: Double?) {}
}

struct Tokens: Sendable {
    func current() async throws -> String { missing() }
}

func use(_ values: Any...) {}
func use(_ image: Image, from store: String) {}
func send(_ data: Data) {}
func show(_ values: Any...) {}
func draw(_ values: Any...) {}

func missing<Value>() -> Value { fatalError() }
