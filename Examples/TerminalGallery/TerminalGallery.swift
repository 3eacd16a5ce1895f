import Calotype

@main struct TerminalGallery {
    static func main() async throws {}
}
