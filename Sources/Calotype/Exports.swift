@_exported public import CalotypeCache
@_exported public import CalotypeCodecs
@_exported public import CalotypeCore
@_exported public import CalotypeLoading
@_exported public import CalotypeTransforms
