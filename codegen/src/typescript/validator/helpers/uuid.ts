const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

function formatUuid(text«: string»)«: boolean» {
  return uuid.test(text);
}
