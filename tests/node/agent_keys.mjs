// The Ed25519 keys of agents in the cases of calls.
import { createPublicKey, verify } from "node:crypto";

/** The starts of keys in DER: of private keys (PKCS #8) and of public ones (SPKI), as RFC 8410 defines them. */
const STARTS = { true: "302e020100300506032b657004220420", false: "302a300506032b6570032100" };

/** A key in DER, of its 32 bytes in base64url. */
export const keyOf = (bytes, isPrivate) => Buffer.concat([Buffer.from(STARTS[isPrivate], "hex"), Buffer.from(bytes, "base64url")]);

/** The function that verifies a signature by the public keys of agents, all of which have the id `a1`; `undefined` if there are none. */
export function verifierOf(agents) {
  const entries = Object.entries(agents).map(([agent, key]) => [agent, createPublicKey({ key: keyOf(key, false), format: "der", type: "spki" })]);
  if (entries.length === 0) return;
  return (text, { keyId, signature }) => {
    const isSigned = ([, key]) => verify(null, Buffer.from(text), key, Buffer.from(signature, "base64url"));
    const [agent] = (keyId === "a1" && entries.find(isSigned)) || [];
    return agent !== undefined && { agent };
  };
}
