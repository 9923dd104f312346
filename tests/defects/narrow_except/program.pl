#!/usr/bin/env perl
# Moves a message on, or aside when that fails: none may be lost. Usage: program.pl op|recover|check DIR
use strict;
use warnings;
use IO::Handle;

my ($verb, $dir) = @ARGV;

sub slurp {
    my ($path) = @_;
    open my $file, '<:raw', $path or return;
    local $/;
    my $text = <$file>;
    return if $file->error;
    return $text;
}

sub store {
    my ($name, $text) = @_;
    open my $file, '>:raw', "$dir/$name" or return 0;
    print {$file} $text and $file->flush and $file->sync or return 0;
    close $file or return 0;
    open my $directory, '<', $dir or return 0;
    return $directory->sync;
}

sub whole { (slurp("$dir/$_[0]") // '') eq "pay 7\n" }

my %verbs = (
    op => sub {
        my $message = slurp("$dir/inbox") // die "cannot read the inbox: $!\n";
        if (!store('outbox', $message)) {
            store('spool', $message) if $!{EACCES};
        }
        unlink "$dir/inbox" or die "cannot empty the inbox: $!\n";
    },
    recover => sub {
        for my $name ('outbox', 'spool') {
            unlink "$dir/$name" if !whole($name);
        }
    },
    check => sub {
        return if grep { whole($_) } 'inbox', 'outbox', 'spool';
        print "The message is lost.\n";
        exit 1;
    },
);
$verbs{$verb}->();
