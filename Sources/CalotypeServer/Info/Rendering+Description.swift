extension Rendering {
    /// Rejects options of a description in the URL of an image.
    ///
    /// - Throws: ``RequestError`` with `unknownOption`, as for any other option that images do not have.
    package func checkIsImage() throws(RequestError) {
        guard let option = description.option else { return }
        throw RequestError(
            .unknownOption,
            option: option,
            detail: "\(option.quoted) is an option of /info only"
        )
    }
}
