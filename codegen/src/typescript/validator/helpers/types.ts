/** What is looked at: JSON, where a property that is `undefined` counts as absent. */
type Json = undefined | null | boolean | number | string | Json[] | Dict;
type Dict = { [name: string]: Json };
