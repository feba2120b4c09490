"""What schemathesis is not told by the description of the API, nor by schemathesis.toml."""

import schemathesis

# The media type that tus gives the parts of an upload: bytes like any others.
schemathesis.serializer.alias("application/offset+octet-stream", "application/octet-stream")
