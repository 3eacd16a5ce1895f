package import CalotypeCore
package import CalotypeTesting

extension FakeFrameSource {
    /// The first frame with all frames as its animation.
    package var image: Image {
        let first = image(at: 0)
        return first.replacing(animation: Animation(source: self, firstFrame: first))
    }
}
