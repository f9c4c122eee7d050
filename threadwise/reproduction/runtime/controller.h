/* Kinds of scheduling points, as bits; flags of events. threadwise/reproduction/points.py has the
 * same numbers. */
#ifndef THREADWISE_CONTROLLER_H
#define THREADWISE_CONTROLLER_H

#define TW_READ 1u
#define TW_WRITE 2u
#define TW_ATOMIC 4u
#define TW_MEMORY 8u /* a call that reads or writes memory, such as memcpy */
#define TW_LOCK 16u
#define TW_UNLOCK 32u
#define TW_WAIT 64u
#define TW_CREATE 128u
#define TW_JOIN 256u
#define TW_OTHER_CALL 512u
#define TW_BEGIN 1024u
#define TW_FINISH 2048u
#define TW_ATOMIC_ENTRY 4096u /* of a function that is atomic by its name */
#define TW_ATOMIC_EXIT 8192u
#define TW_FAILURE 16384u /* the entry of a function that is a failure by its name */
#define TW_ANY_CALL \
    (TW_MEMORY | TW_LOCK | TW_UNLOCK | TW_WAIT | TW_CREATE | TW_JOIN | TW_OTHER_CALL)

#define TW_HARD 1u     /* exists in the machine code, too */
#define TW_HOLD 2u     /* the thread stops before it */
#define TW_SUPPLIES 4u /* the value is put there before it is read */
#define TW_RESULT 8u   /* the value is what the call returns */

#endif
