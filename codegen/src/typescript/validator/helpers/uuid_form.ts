const uuidForm«: RegExp» = /^[\da-f]{8}(?:-[\da-f]{4}){4}[\da-f]{8}$/i;
