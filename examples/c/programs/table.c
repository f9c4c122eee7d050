// A hash table with a lock for every bucket and strings as keys: threads count the words of their files.
//
// expect assertions: SAFE
// expect races: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUCKETS 64
#define LONGEST 63

struct entry {
    char *key;
    unsigned long count;
    struct entry *next;
};

struct bucket {
    pthread_mutex_t lock;
    struct entry *entries;
};

struct table {
    struct bucket buckets[BUCKETS];
};

struct task {
    pthread_t thread;
    const char *path;
    struct table *table;
    unsigned long words;
    int failed;
};

static unsigned hash(const char *key)
{
    unsigned value = 5381;

    while (*key != '\0')
        value = value * 33 + (unsigned char)*key++;
    return value;
}

static struct bucket *bucket_of(struct table *table, const char *key)
{
    return &table->buckets[hash(key) % BUCKETS];
}

static struct table *table_new(void)
{
    struct table *table = malloc(sizeof *table);

    if (table == NULL)
        return NULL;
    for (int i = 0; i < BUCKETS; i++) {
        pthread_mutex_init(&table->buckets[i].lock, NULL);
        table->buckets[i].entries = NULL;
    }
    return table;
}

static struct entry *find(struct bucket *bucket, const char *key)
{
    struct entry *entry;

    for (entry = bucket->entries; entry != NULL; entry = entry->next)
        if (strcmp(entry->key, key) == 0)
            return entry;
    return NULL;
}

/* Counts a word; returns its new count, or 0 if there is no memory. */
static unsigned long table_add(struct table *table, const char *key)
{
    struct bucket *bucket = bucket_of(table, key);
    unsigned long count = 0;

    pthread_mutex_lock(&bucket->lock);
    struct entry *entry = find(bucket, key);
    if (entry == NULL) {
        entry = malloc(sizeof *entry);
        if (entry == NULL)
            goto out;
        entry->key = strdup(key);
        if (entry->key == NULL) {
            free(entry);
            goto out;
        }
        entry->count = 0;
        entry->next = bucket->entries;
        bucket->entries = entry;
    }
    count = ++entry->count;
out:
    pthread_mutex_unlock(&bucket->lock);
    return count;
}

/* Forgets a word; returns how often it was counted. */
static unsigned long table_remove(struct table *table, const char *key)
{
    struct bucket *bucket = bucket_of(table, key);
    unsigned long count = 0;

    pthread_mutex_lock(&bucket->lock);
    for (struct entry **link = &bucket->entries; *link != NULL; link = &(*link)->next) {
        struct entry *entry = *link;
        if (strcmp(entry->key, key) == 0) {
            *link = entry->next;
            count = entry->count;
            free(entry->key);
            free(entry);
            break;
        }
    }
    pthread_mutex_unlock(&bucket->lock);
    return count;
}

static void table_free(struct table *table)
{
    for (int i = 0; i < BUCKETS; i++) {
        struct entry *entry = table->buckets[i].entries;
        while (entry != NULL) {
            struct entry *next = entry->next;
            free(entry->key);
            free(entry);
            entry = next;
        }
        pthread_mutex_destroy(&table->buckets[i].lock);
    }
    free(table);
}

/* The next word of a file, in lower case; its length, or 0 at the end. */
static int next_word(FILE *file, char *word, int size)
{
    int length = 0;
    int c;

    while ((c = fgetc(file)) != EOF) {
        if (isalpha(c)) {
            if (length < size - 1)
                word[length++] = (char)tolower(c);
        } else if (length > 0) {
            break;
        }
    }
    word[length] = '\0';
    return length;
}

static void *count_words(void *argument)
{
    struct task *task = argument;
    char word[LONGEST + 1];

    FILE *file = fopen(task->path, "r");
    if (file == NULL) {
        task->failed = 1;
        return NULL;
    }
    while (next_word(file, word, sizeof word) > 0) {
        if (strcmp(word, "the") == 0 || strcmp(word, "a") == 0) {
            table_remove(task->table, word);
            continue;
        }
        if (table_add(task->table, word) == 0) {
            task->failed = 1;
            break;
        }
        task->words++;
    }
    fclose(file);
    return NULL;
}

static void print(struct table *table, unsigned long least)
{
    for (int i = 0; i < BUCKETS; i++) {
        struct entry *entry;
        for (entry = table->buckets[i].entries; entry != NULL; entry = entry->next)
            if (entry->count >= least)
                printf("%8lu %s\n", entry->count, entry->key);
    }
}

int main(int argc, char **argv)
{
    unsigned long least = 1, words = 0;
    int option, failed = 0;

    while ((option = getopt(argc, argv, "m:")) != -1) {
        switch (option) {
        case 'm':
            least = strtoul(optarg, NULL, 10);
            break;
        default:
            fprintf(stderr, "usage: %s [-m least] file...\n", argv[0]);
            return 2;
        }
    }
    int files = argc - optind;
    if (files <= 0) {
        fprintf(stderr, "table: no files\n");
        return 2;
    }
    struct table *table = table_new();
    struct task *tasks = calloc(files, sizeof *tasks);
    if (table == NULL || tasks == NULL) {
        fprintf(stderr, "table: out of memory\n");
        return 1;
    }
    for (int i = 0; i < files; i++) {
        tasks[i].path = argv[optind + i];
        tasks[i].table = table;
        if (pthread_create(&tasks[i].thread, NULL, count_words, &tasks[i]) != 0) {
            perror("table");
            return 1;
        }
    }
    for (int i = 0; i < files; i++) {
        pthread_join(tasks[i].thread, NULL);
        if (tasks[i].failed) {
            fprintf(stderr, "table: cannot read %s\n", tasks[i].path);
            failed = 1;
        }
        words += tasks[i].words;
    }
    print(table, least);
    printf("%8lu words\n", words);
    table_free(table);
    free(tasks);
    return failed;
}
